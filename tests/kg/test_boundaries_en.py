"""Where English names begin and end, and of what kind they are."""

from __future__ import annotations

import pytest

from h3cold.kg.benchmark_edges import block
from h3cold.kg.extract import read


def names(text: str) -> dict[str, str]:
    """Name -> type of one passage."""
    readings, _ = read([block(text, 0, "0" * 32)])
    return {s.text: s.type for s in readings[0].spans}


@pytest.mark.parametrize(
    ("text", "name", "type"),
    [
        ("She taught at the Watson School of Biological Sciences.", "Watson School of Biological Sciences", "ORG"),
        ("Opened in 1847 by the London and South Western Railway.", "London and South Western Railway", "ORG"),
        ("The 65th Air Division directed the building of bases in Spain.", "65th Air Division", "ORG"),
        ("He broke in as a rookie with the St. Louis Eagles in 1933.", "St. Louis Eagles", "ORG"),
        ("The race was reported in The Hockey News on its front page.", "The Hockey News", "ORG"),
        ("The commentator is based in Newcastle upon Tyne with his wife.", "Newcastle upon Tyne", "PLACE"),
        ("Cosham railway station serves the suburb.", "Cosham railway station", "PLACE"),
        ('William "Cowboy" Cowley was born in Bristol.', 'William "Cowboy" Cowley', "PERSON"),
    ],
)  # fmt: skip
def test_a_name_is_found_whole(text: str, name: str, type: str) -> None:
    assert names(text).get(name) == type


def test_a_town_and_its_state_are_two_places() -> None:
    found = names("The museum is located in Windsor, Vermont.")
    assert found == {"Windsor": "PLACE", "Vermont": "PLACE"}


def test_a_place_is_no_person_of_that_last_name() -> None:
    text = "The race track lies near the town of Harlow. The municipality of Harlow owns it. John Harlow came by."
    assert names(text)["Harlow"] == "PLACE"


def test_a_prize_is_nobody() -> None:
    assert "Stanley Cup" not in names("Boston won the Stanley Cup in 1939.")
