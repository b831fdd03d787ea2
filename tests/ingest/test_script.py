from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.ingest.language import language_of
from h3cold.ingest.script import count_letters, join_lines, join_pieces, tidy


@pytest.mark.parametrize(
    ("lines", "known", "joined"),
    [
        (["the manage-", "ment of"], (), "the management of"),
        (["a long-", "term plan"], (), "a long-term plan"),
        (["the cross-", "border"], {"crossborder"}, "the crossborder"),
        (["see co-", "operate"], {"co-operate"}, "see co-operate"),
        (["EVOKING VIA AB-", "STRACTION"], (), "EVOKING VIA ABSTRACTION"),
        (["NON-", "GAAP"], (), "NON-GAAP"),
        (["pages 10-", "12"], (), "pages 10-12"),
        (["soft\u00ad", "ened"], (), "softened"),
        (["2023年营业", "收入增长"], (), "2023年营业收入增长"),
        (["plain words", "go on"], (), "plain words go on"),
    ],
)
def test_joining_lines(lines: list[str], known: set[str], joined: str) -> None:
    assert join_lines(lines, known=known) == joined


def test_blanks_between_han_go_and_between_latin_stay() -> None:
    assert tidy("中 国 银 行 Bank of China 有限公司") == "中国银行 Bank of China 有限公司"
    assert tidy("第三条  为了加强 管理") == "第三条 为了加强管理"
    assert tidy("第三条　为了") == "第三条 为了"
    assert tidy("a  b\u00a0 c\u200b") == "a b c"
    assert tidy("Item 1. Business ............. 5") == "Item 1. Business … 5"
    assert join_pieces(["目", "录"]) == "目录"
    assert join_pieces(["Chapter", "1"]) == "Chapter 1"


def test_blanks_that_were_printed_between_han_words_stay() -> None:
    assert tidy("单位：万元 币种：人民币", printed=True) == "单位：万元 币种：人民币"
    assert tidy("单位：万元 币种：人民币") == "单位：万元币种：人民币"
    assert tidy("中 国 银 行 有限 公司", printed=True) == "中国银行有限公司"
    assert tidy("加强管理。 保障安全", printed=True) == "加强管理。保障安全"


@given(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12), min_size=1, max_size=6))
def test_joining_loses_no_letter(lines: list[str]) -> None:
    assert "".join(join_lines(lines).split()) == "".join("".join(lines).split())


@given(st.text(max_size=60))
def test_tidy_is_settled_after_one_pass(text: str) -> None:
    assert tidy(tidy(text)) == tidy(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The company and the board of the group", "en"),
        ("公司2023年实现营业收入增长，报告期内 EBITDA 上升", "zh"),
        ("これは日本語の文章です", "ja"),
        ("코로나 관련 보험약관", "ko"),
        ("Der Vorstand hat die Ergebnisse des Jahres und das Ziel für die Zukunft nicht geändert", "de"),
        ("هذا تقرير عن الشركة", "ar"),
        ("", "en"),
    ],
)
def test_language(text: str, code: str) -> None:
    assert language_of(text) == code


@given(st.text(alphabet=st.characters() | st.sampled_from(" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u00a0\u3000")))
def test_letters_are_all_that_is_no_blank(text: str) -> None:
    assert count_letters(text) == sum(not c.isspace() for c in text)
