"""Sentences of edges, and questions as they are held against them."""

from typing import get_args

from h3cold.kg.statements import LEFT_OUT, bare, statement
from h3cold.schemas.graph import RelationType


def test_every_relation_but_those_left_out_has_a_sentence_with_both_names():
    for type in set(get_args(RelationType)) - LEFT_OUT:
        said = statement(type, "Ann {x}", "Bolt, Inc.", value="51%", period="2021")
        assert "Ann {x}" in said and "Bolt, Inc." in said and "51%" in said and "2021" in said


def test_an_office_is_said_once_and_one_that_is_not_known_is_said_so():
    said = statement("officer_of", "Ines Teal", "Halden", value="Chief Financial Officer", period="2018")
    assert said == "Ines Teal is Chief Financial Officer of Halden: leads and manages it (2018)"
    assert statement("officer_of", "Ines Teal", "Halden").startswith("Ines Teal is an officer of Halden")


def test_a_question_is_bared_in_its_own_language():
    assert bare("who calls the shots at ○?") == "who calls the shots at the company?"
    assert bare("○谁说了算？") == "公司谁说了算？"
