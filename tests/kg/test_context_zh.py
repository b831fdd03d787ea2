"""Company names that only their place in a sentence tells."""

import pytest

from h3cold.kg.ner_zh import find_names


def organisations(text):
    return {s.text for s in find_names(text) if s.type == "ORG"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("该公司持有青泽物业30%股权。", "青泽物业"),
        ("四川长虹目前为美菱电器第一大股东。", "四川长虹"),
        ("公告称，控股股东普林电子于近日减持股份。", "普林电子"),
        ("海螺水泥只持有10万股。", "海螺水泥"),
    ],
)
def test_who_holds_and_what_is_held_are_companies(text, name):
    assert name in organisations(text)


@pytest.mark.parametrize("text", ["公司持有优质资产30%股权。", "投资者持有流通股10%。", "张伟持有10%股权。"])
def test_common_words_and_persons_in_those_places_are_none(text):
    assert not organisations(text)
