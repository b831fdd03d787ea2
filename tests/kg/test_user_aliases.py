import pytest

from h3cold.kg.explain import explain
from h3cold.kg.linking import link, merges, same_as
from h3cold.kg.user_aliases import parse_aliases, read_aliases
from h3cold.schemas.errors import ConfigError


def both(*readings):
    return [m for r in readings for m in r.mentions], [e for r in readings for e in r.relations]


@pytest.fixture(scope="module")
def pair(reading):
    one = reading("Norwood Steel Corporation (“Norwood Steel”) acquired Elm Mining Ltd.", document="1" * 32)
    two = reading("Northern Wood & Steel plc sold Oak Paper Inc. Mr. Paul Reed chairs it.", document="2" * 32)
    return both(one, two)


def test_the_user_makes_one_of_two_and_takes_it_back(pair):
    user = parse_aliases("# ours\nNorthern Wood & Steel plc = Norwood Steel Corporation  # renamed in 2020\n")
    assert not same_as(*pair)
    nodes = [e for e in link(*pair, user) if e.name == "Northern Wood & Steel plc"]
    assert len(nodes) == 1 and nodes[0].documents == ("1" * 32, "2" * 32)
    assert link(*pair, parse_aliases("")) == link(*pair)
    found = explain("norwood steel", *pair, sources={"1" * 32: "a.pdf", "2" * 32: "b.pdf"}, user=user)
    assert len(found) == 1 and "alias file" in found[0]["merges"][0]
    assert {n["name"] for n in found[0]["names"]} >= {"Norwood Steel", "Northern Wood & Steel plc"}


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
