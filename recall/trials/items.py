"""What a report states and how people ask for it, as read from items.txt."""

from __future__ import annotations

from typing import NamedTuple

from h3cold.recall.trials.wording import read_rows


class Item(NamedTuple):
    """An item of `accounts` with its printed labels and the words of questions, in both languages."""

    group: str
    key: str
    label_en: str
    label_zh: str
    asked_en: tuple[str, ...]
    asked_zh: tuple[str, ...]


def items(*groups: str) -> tuple[Item, ...]:
    """The items of these groups (income, assets, liabilities, cash, notes, business), of all without any."""
    rows = (
        Item(group, key, english, chinese, tuple(asked_en.split("; ")), tuple(asked_zh.split("; ")))
        for group, key, english, chinese, asked_en, asked_zh in read_rows("items.txt")
    )
    return tuple(item for item in rows if not groups or item.group in groups)
