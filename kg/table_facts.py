"""Facts that a table's structure states: shareholders, subsidiaries, officers, and key figures by row and column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from h3cold.kg.names import fold
from h3cold.kg.periods import PERIODS
from h3cold.kg.signatures import signed_rows
from h3cold.kg.whole_figures import APART, AVERAGE, BALANCE, NUMBER, SMALL, is_cash_flow, is_statement, said_twice
from h3cold.schemas.block import Block
from h3cold.schemas.graph import EntityType, RelationType
from h3cold.schemas.page import Table

MOST_MEASURES, MOST_ROWS = 60, 300
"""Bounds per block."""

_OWNER = re.compile(
    r"股东名称|股东姓名|股东全称|股东$|出资人|出资方|(?:beneficial )?owner|stockholder|shareholder", re.IGNORECASE
)
_CHILD = re.compile(
    r"子公司名称|子公司全称|子公司$|被投资单位|被投资公司|参股公司|控股公司名称|附属公司"
    r"|(?:name of )?(?:the )?subsidiar(?:y|ies)|name of (?:entity|company)",
    re.IGNORECASE,
)
_OWNED = re.compile(r"\b(?:beneficially|shares) (?:owned|held)\b", re.IGNORECASE)
_ADDRESS = re.compile(r"\s\d{1,5}\s[A-Z\d].*\b\d{5}(?:-\d{4})?$")
"""A postal address behind an owner's name."""
_SHARE = re.compile(r"持股比例|出资比例|股权比例|比例|占比|占总股本|percent|%|ownership", re.IGNORECASE)
_PERSON = re.compile(r"^(?:姓名|董事姓名|name|director|executive officer|officer|name and address)s?$", re.IGNORECASE)
_OFFICE = re.compile(r"职务|职位|岗位|position|title|office|principal occupation", re.IGNORECASE)
_PLACE = re.compile(
    r"注册地|主要经营地|所在地|jurisdiction|state (?:or country )?of|country|place of incorporation", re.IGNORECASE
)
_YEAR = re.compile(
    r"(?:Q[1-4]\s)?(?<!\d)(?:19|20)\d\d(?!\d)(?:\s?年(?:度|末|\d{1,2}月(?:\d{1,2}日)?)?)?|本期(?:期末|发生额)?|上期"
    r"|上年(?:同期|期末|度末|末)?|本报告期末?|报告期末|期末|期初|本年(?:度)?"
)
_UNIT = re.compile(
    r"单位\s?[:：]\s?(?:人民币)?\s?(亿元|百万元|万元|千元|元|%|美元|万美元)"
    r"|[(（]?(?:(?:US|HK)?\$ ?|dollars |amounts |RMB |shares )?in (thousands|millions|billions)|\bin \$?(000)['’]?s\b"
    r"|^[(（]?\$? ?(thousands|millions|billions)[)）]?(?=\s|$)",
    re.IGNORECASE,
)
_RATIO = re.compile(r"率$|\b(?:margin|ratio|turnover|rate|share)\b", re.IGNORECASE)
_CHANGE = re.compile("增减|变动|变化|同比|环比")
_TOTALS = re.compile(r"^(?:合计|总计|小计|total|其他|other|all directors|/|-|—|无|n/a|as a group)", re.IGNORECASE)
_PERCENT = re.compile(r"^\d{1,3}(?:\.\d{1,6})?\s?[%％]?$")


_NUMBERED = re.compile(r"^(?:[一二三四五六七八九十]{1,3}、|其中[:：]|[加减][:：])")


class CellName(NamedTuple):
    """A name in a cell: its type and text."""

    type: EntityType
    text: str


class CellFact(NamedTuple):
    """A relation that a row states; None for head or tail stands for the document's company."""

    type: RelationType
    head: CellName | None
    tail: CellName | None
    confidence: float
    value: str = ""
    period: str = ""
    row: str = ""
    """Text of the row's first cell, to find the row in the block's text."""


def facts_of_tables(blocks: Iterable[Block]) -> Iterator[tuple[Block, CellFact]]:
    """Facts of the tables among a document's blocks, in order; nothing where a header says nothing that we know."""
    inner: dict[str, Sequence[str]] = {}  # of each table, the last header among its rows: its next part has none
    for block in blocks:
        for fact in _facts(block, inner):
            yield block, fact


def _facts(block: Block, inner: dict[str, Sequence[str]]) -> Iterator[CellFact]:
    table = block.table
    if table is None or table.rows < 2 or table.cols < 2:
        return
    repeated = table.header_rows()
    header = max(1, min(repeated, 4))
    columns = _headers(table, header)
    rows = table.grid()[header : header + MOST_ROWS]
    heads, listed = columns, rows
    above = inner.get(block.group, ())
    if block.part and not repeated and len(above) == table.cols:
        heads, listed = list(above), table.grid()[:MOST_ROWS]
    for under, part in _parted(heads, listed):
        yield from _listed(under, part)
        if block.group and under is not columns:
            inner[block.group] = under
    yield from _measures(block, table, header, columns, rows)


def _headers(table: Table, header: int) -> list[str]:
    """The header text over each column, a spanning cell's counted for all it spans."""
    columns: list[list[str]] = [[] for _ in range(table.cols)]
    for cell in table.cells:
        if cell.row < header and cell.text.strip():
            for col in range(cell.col, min(cell.col + cell.colspan, table.cols)):
                columns[col].append(cell.text.strip())
    return [" ".join(dict.fromkeys(texts)) for texts in columns]


def _column(columns: Sequence[str], pattern: re.Pattern[str]) -> int | None:
    return next((i for i, text in enumerate(columns) if pattern.search(text.strip())), None)


def _parted(
    columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> Iterator[tuple[Sequence[str], Sequence[Sequence[str]]]]:
    """A table's rows under its header and under each row that is one itself, as in a list of holders under totals."""
    start = 0
    for k, row in enumerate(rows):
        words = [cell for cell in row if cell.strip()]
        named = _column(row, _OWNER) is not None or _column(row, _CHILD) is not None
        if named and len(set(words)) > 2 and not any(c.isdigit() for cell in words for c in cell):
            yield columns, rows[start:k]
            columns, start = row, k + 1
    yield columns, rows[start:]


def _listed(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[CellFact]:
    share, place = _column(columns, _SHARE), _column(columns, _PLACE)
    child, owner = _column(columns, _CHILD), _column(columns, _OWNER)
    person, office = _column(columns, _PERSON), _column(columns, _OFFICE)
    if owner is None and person == 0 and any(_OWNED.search(text) for text in columns):
        owner = person  # "Name | Number of Shares Beneficially Owned | Percentage"
    signers = list(signed_rows(rows))
    for signer, title, date, cell in signers:
        yield CellFact("officer_of", CellName("PERSON", signer), None, 0.85, title, date, cell)
    if signers:
        return
    for row in rows:
        if child is not None and child != share and (share is not None or place is not None):
            if name := _name(row[child]):
                subject = CellName("ORG", name)
                yield CellFact("subsidiary_of", subject, None, 0.85, _percent(row, share), row=row[child])
                if place is not None and place != child and (where := _name(row[place])):
                    yield CellFact("located_in", subject, CellName("PLACE", where), 0.85, row=row[child])
        elif owner is not None and share is not None and owner != share:
            percent = _percent(row, share)
            if (name := _name(row[owner])) and percent:
                yield CellFact("owns", CellName(_party(name), name), None, 0.85, percent, row=row[owner])
        elif person is not None and office is not None and person != office:
            name, title = _name(row[person]), " ".join(row[office].split())
            if name and _party(name) == "PERSON" and 1 < len(title) <= 120:
                yield CellFact("officer_of", CellName("PERSON", name), None, 0.85, title, row=row[person])


def _name(cell: str) -> str:
    """A cell's text as a name, or "" where it is a number, a total or prose."""
    text = re.sub(r"\s*[(（]\d{1,2}[)）]|[*†‡]+", "", _ADDRESS.sub("", " ".join(cell.split()))).strip(" ,;:")
    words = len(text.split())
    if (
        not 2 <= len(text) <= 80
        or words > 12
        or _TOTALS.match(text)
        or not any(c.isalpha() for c in text)
        or NUMBER.match(text)
    ):
        return ""
    return text if text[0].isupper() or not text[0].isascii() else ""


def _party(name: str) -> EntityType:
    if any("\u4e00" <= c <= "\u9fff" for c in name):
        return "PERSON" if len(name) <= 4 and not re.search(r"公司|集团|银行|基金|有限|局$|会$", name) else "ORG"
    if re.search(
        r"\b(?:Inc|Corp|Company|Ltd|LLC|L\.?P|Group|Fund|Trust|Bank|Capital|Partners|Advisors|Management|Holdings?|Associates|Investments?|FMR|BlackRock|Vanguard)\b",
        name,
    ):
        return "ORG"
    return "PERSON" if 2 <= len(name.split()) <= 5 else "ORG"


def _percent(row: Sequence[str], column: int | None) -> str:
    if column is None or column >= len(row):
        return ""
    text = row[column].strip().replace(" ", "")
    if not _PERCENT.match(text) or float(text.rstrip("%％")) > 100:
        return ""
    return text if text[-1] in "%％" else text + "%"


def _measures(
    block: Block, table: Table, header: int, columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> Iterator[CellFact]:
    around = " ".join([*columns[:1], block.caption, *columns, *(row[0] for row in rows[:2])])
    if not is_statement(" ".join([*block.headings[-1:], around]), rows):
        return
    unit = next(
        (a or f"in {b or c or d}" for a, b, c, d in _UNIT.findall(f"{around} {' '.join(block.headings[-1:])}")), ""
    )
    unit = {"in 000": "in thousands"}.get(unit, unit)
    flows = is_cash_flow(f"{around} {' '.join(block.headings[-1:])}", rows)
    periods = _periods(columns)
    count, apart = 0, False
    said = said_twice(rows)
    for row in rows:
        if not any(NUMBER.match(cell.strip()) for cell in row[1:]):
            apart = APART.search(row[0]) is not None  # a heading over the rows that follow
            periods = (not row[0].strip() and _periods(row)) or periods  # or their header
            continue
        label = fold(
            re.sub(
                r"[（(](?:元|万元|千元|亿元|%|元/股|人|股|倍|in [a-z]+|note \d+)[)）]"
                r"|[:：]|^[一二三四五六七八九十]、|其中",
                "",
                row[0],
            )
        ).strip(" .:$")
        if label not in _measure_keys() or (apart and not _RATIO.search(label)):
            continue
        if flows and BALANCE.search(label):
            continue  # a change of the balance
        if fold(row[0]).strip(" .:$") in said:
            continue  # each is of another segment, and its label does not say of which
        for place, period in _values_of(row, periods):
            value = " ".join(row[place].split())
            if value.endswith(("%", "％", "%)")) and not _RATIO.search(label):
                continue  # a share of something else, not the measure
            if SMALL.match(value) and not _RATIO.search(label) and "股" not in label and "illion" not in unit:
                continue  # an amount a share under the label of the whole
            if _RATIO.search(label) and unit not in ("%",):
                text = value
            else:
                text = f"{value} ({unit})" if unit and "%" not in value else value
            yield CellFact(
                "measure_of",
                None,
                CellName("MEASURE", _NUMBERED.sub("", " ".join(row[0].split())).strip(" :：")),
                0.85,
                text,
                period,
                row=row[0],
            )
            count += 1
            if count >= MOST_MEASURES:
                return


def _periods(columns: Sequence[str]) -> list[tuple[int, str]]:
    return [
        (i, found)
        for i, text in enumerate(columns)
        if i and not AVERAGE.search(text) and not _CHANGE.search(text) and (found := column_period(text))
    ]


def column_period(text: str) -> str:
    """The period over a column: part of a year in full ("Six Months Ended June 30, 2019"), else its year."""
    text = " ".join(text.split())
    for pattern in _parts():
        if (found := pattern.search(text)) and not _WHOLE.match(found.group()):
            return found.group()
    year = _YEAR.search(text)
    return year.group() if year is not None else ""


_WHOLE = re.compile(r"(?:fiscal )?year|twelve|12 months|FY|5[23]", re.IGNORECASE)


@cache
def _parts() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in PERIODS)


def _values_of(row: Sequence[str], periods: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The number under each period; a currency sign may have taken the cell under the period itself."""
    for index, (column, period) in enumerate(periods):
        end = periods[index + 1][0] if index + 1 < len(periods) else len(row)
        place = next(
            (
                i
                for i in range(column, min(end, column + 3, len(row)))
                if NUMBER.match(row[i].strip()) and any(c.isdigit() for c in row[i])
            ),
            None,
        )
        if place is not None:
            yield place, period


@cache
def _measure_keys() -> frozenset[str]:
    from h3cold.kg.names import read_lines

    return frozenset(fold(name) for line in read_lines("measures.txt") for name in line.split("|"))
