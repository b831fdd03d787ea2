"""What jieba makes of a Chinese sentence, and what a person's name looks like."""

from __future__ import annotations

import logging
import re
from functools import cache
from typing import Any

from h3cold.kg.names import read_lines

Word = tuple[int, int, str]
"""A word of jieba's: start, end, class."""
_HAN_PERSON = re.compile(r"[\u4e00-\u9fff]{2,4}")


@cache
def tagger() -> Any:
    """jieba's tagger, loaded once a process and kept quiet."""
    import jieba

    jieba.setLogLevel(logging.WARNING)
    import jieba.posseg

    return jieba.posseg


OUTSIDERS = frozenset(
    {"先生", "女士", "教授", "博士", "律师", "法官", "审判长", "审判员", "书记员", "记者", "注册会计师", "保荐代表人"}
    | {"分析师", "总书记", "省长", "市长", "控股股东", "实际控制人"}
)
"""Titles of those who hold no office in the company whose paper they sign."""


@cache
def people() -> tuple[frozenset[str], tuple[str, ...]]:
    """Family names (one character, or two), and titles, the longest first."""
    single, double, titles = read_lines("people_zh.txt")
    return frozenset([*single, *double.split()]), tuple(sorted(titles.split(), key=len, reverse=True))


def words_of(text: str, start: int, end: int) -> list[Word]:
    """The words of `text[start:end]`, with their places in `text`."""
    words: list[Word] = []
    at = start
    for pair in tagger().cut(text[start:end], HMM=True):
        words.append((at, at + len(pair.word), pair.flag))
        at += len(pair.word)
    return words


def wordlike_han(char: str) -> bool:
    """True for a Han character."""
    return "\u4e00" <= char <= "\u9fff"


def plausible_person(word: str) -> bool:
    """True for two to four Han characters that begin with a family name."""
    families = people()[0]
    if not _HAN_PERSON.fullmatch(word):
        return False
    return (word[0] in families and len(word) <= 3) or (word[:2] in families and len(word) >= 3)
