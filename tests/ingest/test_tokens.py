"""Search tokens: what a reader would call the same word must be the same token."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import jieba
import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.ingest.embed.cache import cached
from h3cold.ingest.han import dictionary
from h3cold.ingest.tokens import lexical

HAN_TEXTS = (
    "报告期内公司应收账款周转率较上年同期下降主要系销售规模扩大所致",
    "中华人民共和国证券法规定上市公司应当在每一会计年度结束之日起四个月内编制年度报告",
    "贵州茅台酒股份有限公司董事会及全体董事保证本公告内容不存在任何虚假记载",
    "乒乓球拍卖完了研究生命起源南京市长江大桥",
    "只要功夫深铁杵磨成针是一个中国的成语故事",
)


@pytest.mark.parametrize(
    ("written", "tokens"),
    [
        ("1,234.50", ["1234.5"]),
        ("(1,234)", ["1234"]),
        ("１，２３４．５０", ["1234.5"]),
        ("12.5% or １２.５０％", ["12.5", "percent", "12.5", "percent", "12.50"]),
        (".5 and 0.5", ["0.5", "0.5"]),
        ("Section 4.10.2", ["section", "4.10.2"]),
        ("Form 10-K, 10K", ["form", "10k", "10", "10k", "10"]),
        ("FY2023", ["fy2023", "fy", "2023"]),
        ("in 2022-12-31", ["2022", "12", "31"]),
        ("the U.S. and US", ["us", "us"]),
        ("Nestlé's Nestle’s", ["nestl", "nestl"]),
        ("soft\u00adware", ["softwar"]),
        ("don't", []),
        ("", []),
        (" \n\t", []),
    ],
)
def test_written_forms(written: str, tokens: list[str]) -> None:
    assert sorted(lexical(written)) == sorted(tokens)


def test_inflected_words_meet() -> None:
    assert lexical("liabilities increased") == lexical("liability increases")


def test_chinese_question_finds_its_sentence() -> None:
    question, sentence = lexical("应收账款周转率"), lexical("公司2023年的应收账款周转率为6.5次")
    assert set(question) <= set(sentence)
    assert {"应收账款周转率"[i : i + 2] for i in range(6)} <= set(question)


def test_spaces_between_han_characters_do_not_matter() -> None:
    assert lexical("应 收 账 款") == lexical("应收账款")


def test_years_are_kept_in_both_scripts() -> None:
    assert "2023" in lexical("二〇二三年度报告")
    assert {"2022", "2023"} <= set(lexical("对比2022与2023年"))


@pytest.mark.parametrize("text", HAN_TEXTS)
def test_segmentation_is_jiebas(text: str) -> None:
    assert dictionary().cut_for_search(text) == list(jieba.cut_for_search(text, HMM=False))


@given(st.text(max_size=200))
def test_any_text_gives_clean_tokens(text: str) -> None:
    tokens = lexical(text)
    assert tokens == lexical(text)
    for token in tokens:
        assert token and token.split() == [token] and token == token.lower()


@given(st.text(alphabet="应收账款周转率年度报告公司的人民币元", min_size=1, max_size=60))
def test_cutting_keeps_every_character(run: str) -> None:
    assert "".join(dictionary().cut(run)) == run


@given(
    st.lists(
        st.sampled_from(["Revenue", "1,234.50", "应收账款", "FY2023", "net losses", "营业收入", "7.10%"]), max_size=8
    )
)
def test_tokens_of_a_text_hold_those_of_its_parts(parts: list[str]) -> None:
    whole = lexical(" ; ".join(parts))
    assert whole == [token for part in parts for token in lexical(part)]


def test_latin_text_loads_no_chinese_dictionary() -> None:
    code = (
        "import sys; from h3cold.ingest import tokens, han; tokens.lexical('net sales of 1,234');"
        "assert han.dictionary.cache_info().currsize == 0; assert 'jieba' not in sys.modules;"
        "tokens.lexical('应收账款'); assert han.dictionary.cache_info().currsize == 1"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def _build_slowly(folder: str) -> str:
    os.environ["XDG_CACHE_HOME"] = folder
    return cached("thing.bin", lambda path: path.write_bytes(b"x" * 5_000_000) and None).read_bytes().hex()[:4]


def test_processes_that_build_at_once_agree(tmp_path) -> None:
    with ProcessPoolExecutor(4) as pool:
        assert set(pool.map(_build_slowly, [str(tmp_path)] * 8)) == {"7878"}
    assert [p.name for p in (tmp_path / "h3cold").iterdir()] == ["thing.bin"]


def test_failed_build_leaves_nothing(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def fail(path) -> None:
        path.write_bytes(b"half")
        raise ValueError("broken source")

    with pytest.raises(ValueError, match="broken source"):
        cached("thing.bin", fail)
    assert list((tmp_path / "h3cold").iterdir()) == []


def test_cache_that_cannot_be_written_falls_back(tmp_path, monkeypatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = cached("thing.bin", lambda p: p.write_bytes(b"ok") and None)
    assert path.parent.parent == tmp_path and path.read_bytes() == b"ok"
