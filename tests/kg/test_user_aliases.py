import pytest

from h3cold.kg import user_aliases
from h3cold.kg.explain import explain
from h3cold.kg.linking import link, merges, same_as, unfollowed
from h3cold.kg.user_aliases import dump_aliases, load_aliases, parse_aliases, read_aliases
from h3cold.schemas.errors import ConfigError


def both(*readings):
    return [m for r in readings for m in r.mentions], [e for r in readings for e in r.relations]


@pytest.fixture(scope="module")
def pair(reading):
    one = reading("Norwood Steel Corporation (“Norwood Steel”) acquired Elm Mining Ltd.", document="1" * 32)
    two = reading("Northern Wood & Steel plc sold Oak Paper Inc. Mr. Paul Reed chairs it.", document="2" * 32)
    return both(one, two)


def test_the_user_makes_one_of_two_and_takes_it_back(pair):
    user = parse_aliases("# ours\nNorthern Wood & Steel plc = Norwood Steel Corporation\n")
    assert not same_as(*pair)
    nodes = [e for e in link(*pair, user) if e.name == "Northern Wood & Steel plc"]
    assert len(nodes) == 1 and nodes[0].documents == ("1" * 32, "2" * 32)
    assert link(*pair, parse_aliases("")) == link(*pair)
    found = explain("norwood steel", *pair, sources={"1" * 32: "a.pdf", "2" * 32: "b.pdf"}, user=user)
    assert len(found) == 1 and "alias file" in found[0]["merges"][0]
    assert {n["name"] for n in found[0]["names"]} >= {"Norwood Steel", "Northern Wood & Steel plc"}


def test_a_name_that_only_the_file_has_is_a_name_of_the_node(pair):
    user = parse_aliases("Norwood Steel Corporation = Nordholz Stahl = NWS")
    (node,) = [e for e in link(*pair, user) if e.name == "Norwood Steel Corporation"]
    assert {"Nordholz Stahl", "NWS"} <= set(node.aliases)
    for name in ("nordholz stahl", "NWS"):
        (found,) = explain(name, *pair, sources={"1" * 32: "a.pdf", "2" * 32: "b.pdf"}, user=user)
        said = {n["name"]: n for n in found["names"]}
        assert found["name"] == node.name and said["NWS"]["why"] == "the user's alias file"
        assert said["Norwood Steel"]["times"] and not said["NWS"]["times"]
    assert not explain("NWS", *pair, sources={}, user=parse_aliases(""))
    parted = parse_aliases("Norwood Steel Corporation = NWS\nNWS != Northern Wood & Steel plc")
    assert not [e for e in link(*pair, parted) if "NWS" in e.aliases and "2" * 32 in e.documents]


def test_lines_are_one_group_by_way_of_a_name_that_no_document_says(pair):
    user = parse_aliases("Norwood Steel Corporation = NWS\nElm = Elm Mining Ltd.\nNWS = Northern Wood & Steel plc")
    assert user.same[0] == ("Norwood Steel Corporation", "NWS", "Northern Wood & Steel plc")
    (node,) = [e for e in link(*pair, user) if e.name == "Norwood Steel Corporation"]
    assert node.documents == ("1" * 32, "2" * 32)


def test_the_user_keeps_apart_what_a_document_joins(chinese, reading):
    other = reading("Tencent Holdings Limited acquired Riot Games, Inc. in 2011.", document="9" * 32)
    rows = both(chinese, other)
    assert any(m.kind == "name" and m.name == "Tencent Holdings Limited" for m in merges(*rows)[1])
    why = explain("Tencent Holdings Limited", *rows, sources={"b" * 32: "zh.pdf", "9" * 32: "en.pdf"})
    assert any("zh.pdf, p. 1" in line for line in why[0]["merges"])
    assert not same_as(*rows, parse_aliases("Tencent Holdings Limited != 腾讯控股有限公司"))
    # Not by way of a third name either.
    chain = "Tencent Holdings Limited = Riot Games, Inc.\nRiot Games, Inc. != 腾讯控股有限公司"
    kept = same_as(*rows, parse_aliases(chain))
    assert len(kept) == 1


@pytest.mark.parametrize("line", ["Acme", "= Acme", "Acme = ", "A != B != C", "A != B = C"])
def test_a_line_that_is_no_alias_is_named(line, tmp_path):
    path = tmp_path / "aliases.txt"
    path.write_text(f"Good Inc. = Better Inc.\n\n{line}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="line 3"):
        read_aliases(path)


def test_a_file_that_contradicts_itself_or_is_not_there_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="take one line out"):
        parse_aliases("A Inc. = B Inc.\nB Inc. != A Inc.")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_aliases(tmp_path / "none.txt")


def test_a_lone_word_is_no_proof_in_another_document(reading):
    one = reading("Granite Peak Energy Corp. grew. Analysts like Granite for its mines in Peru.", document="1" * 32)
    two = reading("Granite, Inc. paves roads. The workers of Granite went home.", document="2" * 32)
    names = [{e.name, *e.aliases} for e in link(*both(one, two)) if e.type == "ORG"]
    assert not any({"Granite Peak Energy Corp.", "Granite, Inc."} <= n for n in names)
    assert len([n for n in names if any("Granite" in x for x in n)]) == 2


def test_contradictions_over_several_lines_name_the_lines():
    with pytest.raises(ConfigError, match=r"line 4: .* by line 1, 3;"):
        parse_aliases("A Inc. = B Inc.\nX = Y\nB Inc. = C Inc.\nA Inc. != C Inc.")
    with pytest.raises(ConfigError, match="line 2"):
        parse_aliases("# ours\nAcme != Acme")
    assert parse_aliases("Acme, Inc. != Acme GmbH").apart == (("Acme, Inc.", "Acme GmbH"),)


def test_only_a_line_that_begins_so_is_a_comment():
    assert parse_aliases("Fund #3 = Granite Fund #3").same == (("Fund #3", "Granite Fund #3"),)


def test_a_chain_of_thousands_of_lines_is_read_and_followed():
    same = [f"Name {i} Holdings = Name {i + 1} Holdings" for i in range(3000)]
    apart = [f"Other {i} Partners != Name {i} Holdings" for i in range(3000)]
    user = parse_aliases("\n".join(same + apart))
    assert load_aliases(dump_aliases(user)) == user and user.lines[0] == 3001


def test_each_name_of_a_large_file_is_looked_at_once_and_few_of_its_lines_are_told(monkeypatch):
    looked, sign = [], user_aliases._sign
    monkeypatch.setattr(user_aliases, "_sign", lambda name: looked.append(name) or sign(name))
    same = [f"Name {i} Holdings = Name {i + 1} Holdings" for i in range(500)]
    with pytest.raises(ConfigError, match=r"line 501: .* by line 1, 2, 3, 4, 5 and 495 more; take one line out"):
        parse_aliases("\n".join([*same, "Name 0 Holdings != Name 500 Holdings"]))
    assert len(looked) == len(set(looked)) == 501


def test_names_of_one_document_that_differ_in_legal_form_are_two(reading):
    got = reading(
        "Marlow Tools, Inc. (“Marlow”) grew. Marlow Tools GmbH, a subsidiary of Marlow Tools, Inc., sells in Germany. "
        "Marlow Tools has 400 employees.",
        company="Marlow Tools, Inc.",
    )
    nodes = {e.name: e for e in link(*both(got))}
    assert "Marlow Tools GmbH" not in nodes["Marlow Tools, Inc."].aliases
    assert {"Marlow", "Marlow Tools"} <= set(nodes["Marlow Tools, Inc."].aliases)
    assert ("Marlow Tools GmbH", "subsidiary_of", "Marlow Tools, Inc.") in got.edges()
    user = parse_aliases("Marlow Deutschland = Marlow Tools GmbH")
    assert {e.name for e in link(*both(got), user) if "Marlow" in e.name} >= {
        "Marlow Tools, Inc.",
        "Marlow Deutschland",
    }
    again = reading("Marlow Tools GmbH pays. Marlow Tools GmbH was founded in Ulm.", company="Marlow Tools GmbH")
    assert [e.name for e in link(*both(again)) if e.type == "ORG"] == ["Marlow Tools GmbH"]


def test_a_line_that_no_document_lets_follow_is_named(reading):
    rows = both(reading("Marlow Tools, Inc. grew. Harlan Foods Corp. sold it.", company="Marlow Tools, Inc."))
    user = parse_aliases("# ours\nMarlow Tools != Marlow Tools, Inc.\nHarlan Foods Corp. != Marlow Tools, Inc.")
    (said,) = unfollowed(rows[0], user)
    assert said.startswith("line 2: Marlow Tools != Marlow Tools, Inc.")
