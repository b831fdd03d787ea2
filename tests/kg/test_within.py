"""What lies in what, by the document, by the list, and by a name."""

import pytest

from h3cold.kg.benchmark_edges import block
from h3cold.kg.extract import extract
from h3cold.kg.names import countries, key, read_lines
from h3cold.kg.within import by_name, known
from h3cold.schemas.document import DocumentInfo


def places(*texts):
    found = extract([block(t, i, "0" * 32) for i, t in enumerate(texts)], info=DocumentInfo())
    names = {m.entity: m.text for m in reversed(found.mentions)}
    edges = [r for r in found.relations if r.type == "located_in"]
    length = {block(t, i, "0" * 32).id: len(t) for i, t in enumerate(texts)}
    assert all(0 <= r.start < r.end <= length[r.block] for r in edges)
    return {(names[r.head], names[r.tail]) for r in edges}


def test_a_listed_place_is_in_its_country_where_a_block_names_both():
    assert places("Orrin Foods Inc. sells in Bavaria and in other parts of Germany.") == {("Bavaria", "Germany")}
    assert not places("Orrin Foods Inc. sells in Bavaria.", "It sells in Germany.")


def test_what_is_said_to_be_in_a_listed_place_is_in_its_country():
    found = places("Orrin Foods Inc. is headquartered in Munich. Its owners live in Germany.")
    assert found >= {("Orrin Foods Inc.", "Munich"), ("Orrin Foods Inc.", "Germany"), ("Munich", "Germany")}


def test_a_town_that_the_text_puts_elsewhere_is_not_the_listed_one():
    stated = [("paris", "texas")]
    names = {"paris": "paris", "texas": "texas", "france": "france", "us": "united states"}
    assert known(names) == {"paris": "france", "texas": "us"}
    assert known(names, stated) == {"texas": "us"}


def test_a_state_of_a_country_and_a_province_of_one():
    assert ("Oregon", "U.S.") in places(
        "The Link River is a river in the city of Klamath Falls in the U.S. state of Oregon."
    )
    assert ("Kotayk Province", "Armenia") in places("Goght is a village in the Kotayk Province of Armenia.")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Warsaw Philharmonic", {"warsaw", "poland"}), ("Turkish Airlines", {"turkey"}),
        ("University of Ontario", {"ontario", "canada"}),
        ("Orrin Foods Inc.", set()), ("Sable Corp. of Nowhere", set()),
    ],
)  # fmt: skip
def test_a_name_says_where_it_is_of(name, said):
    assert set(by_name(name)) == said


def test_the_list_names_each_place_once_and_known_countries():
    lines = [line.split(": ", 1) for line in read_lines("within_en.txt")]
    listed = [place for _, names in lines for place in names.split("|")]
    assert len(listed) == len(set(listed))
    assert {country for country, _ in lines} <= {name for _, name in countries()}
    assert all(key("PLACE", place) != key("PLACE", country) for country, names in lines for place in names.split("|"))
