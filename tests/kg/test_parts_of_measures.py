"""Figures that are a part or a change of a measure, or another company's, are not the measure."""

from dataclasses import replace

import pytest

from h3cold.kg.benchmark_edges import block
from h3cold.kg.extract import extract
from h3cold.kg.table_facts import facts_of_tables
from h3cold.schemas.block import Block
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.geometry import PageBox
from h3cold.schemas.page import Cell, Table

ACME = DocumentInfo(company="Acme Holdings Limited", language="en")


def table(rows):
    cells = tuple(
        Cell(r, c, text, (float(c), float(r), c + 1.0, r + 1.0), header=r == 0)
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    )
    text = "\n".join(" | ".join(row) for row in rows)
    box = PageBox(1, (0.0, 0.0, 1.0, 1.0), 0, len(text))
    return Block("b", "0" * 32, 0, "table", text, (), (box,), "en", table=Table(len(rows), len(rows[0]), cells))


def figures(*rows):
    return {(f.tail.text, f.value, f.period) for _, f in facts_of_tables([table(rows)]) if f.type == "measure_of"}


def test_a_label_that_several_segments_have_is_nobody_s():
    found = figures(
        ("$ in millions", "2016", "2015"),
        ("Investment Banking", "", ""), ("Net revenues", "6,273", "7,027"), ("Operating expenses", "3,437", "3,713"),
        ("Lending", "", ""), ("Net revenues", "4,080", "5,436"),
    )  # fmt: skip
    assert {label for label, _, _ in found} == {"Operating expenses"}
    assert ("Net income", "1,200", "2016") in figures(
        ("", "2016", "2015"), ("Net income", "1,200", "1,100"), ("Net income", "1.20", "1.10")
    )


@pytest.mark.parametrize("head", ["Average Balance for the Year Ended December", "Deferred tax assets"])
def test_averages_and_deferred_taxes_are_no_measures(head):
    rows = [(head, "2016", "2015"), ("Total assets", "900", "870"), ("Total liabilities", "800", "790")]
    assert figures(*rows) == set()
    assert figures(("December 31", *rows[0][1:]), *rows[1:])


@pytest.mark.parametrize(
    "text",
    [
        "The result was mainly due to a decrease in revenue of $568.0 million.",
        "Acme Holdings Limited had deferred revenue of approximately $912,000.",
        "It recorded one-time revenue of $35 million.",
    ],
)
def test_a_change_or_a_part_of_a_measure_is_not_the_measure(text):
    assert not [r for r in extract([block(text, 0, "0" * 32)], info=ACME).relations if r.type == "measure_of"]


def test_the_measure_itself_is():
    (one,) = extract([block("Revenue was $2.1 billion in 2023.", 0, "0" * 32)], info=ACME).relations
    assert (one.type, one.value) == ("measure_of", "$2.1 billion")


def test_the_document_s_own_name_is_no_short_one_of_another_company_s():
    text = (
        "Inpixon, through its wholly owned subsidiary, Inpixon Canada, acquired Locality. Inpixon India Limited sells."
    )
    found = extract([block(text, 0, "0" * 32)], info=DocumentInfo(company="INPIXON", language="en"))
    names = {m.entity: m.text for m in found.mentions if "India" in m.text}
    assert names and not set(names) & {e for r in found.relations for e in (r.head, r.tail)}


def test_a_row_without_a_label_is_the_header_of_the_rows_below_it():
    assert figures(
        ("", "本报告期", "上年同期", "本报告期比上年同期增减"),
        ("营业收入（元）", "4,755,785.11", "5,699,227.63", "-16.55%"),
        ("", "本报告期末", "上年度末", "本报告期末比上年度末增减"),
        ("总资产（元）", "298,608,889.04", "306,236,911.04", "-2.49%"),
    ) == {
        ("营业收入（元）", "4,755,785.11", "本报告期"), ("营业收入（元）", "5,699,227.63", "上年同期"),
        ("总资产（元）", "298,608,889.04", "本报告期末"), ("总资产（元）", "306,236,911.04", "上年度末"),
    }  # fmt: skip


def test_holders_stand_under_a_header_inside_the_table_and_end_at_the_next():
    rows = (
        ("报告期末普通股股东总数", "", "79,053"), ("前10名股东持股情况", "", ""),
        ("股东名称", "股东性质", "持股比例"),
        ("北京海鸿投资有限公司", "境内法人", "9.33%"), ("杨琴", "自然人", "3.20%"),
        ("股东名称", "股份种类", "质押数量"), ("南京方凯有限公司", "人民币普通股", "12"),
    )  # fmt: skip
    found = {(f.head.type, f.head.text, f.value) for _, f in facts_of_tables([table(rows)]) if f.type == "owns"}
    assert found == {("ORG", "北京海鸿投资有限公司", "9.33%"), ("PERSON", "杨琴", "3.20%")}


def test_holders_of_a_tables_next_part_stand_under_the_header_of_the_last():
    first = (("报告期末普通股股东总数", "", "79,053"), ("股东名称", "股东性质", "持股比例"),
             ("北京海鸿投资有限公司", "境内法人", "9.33%"))  # fmt: skip
    next_part = (("南京方凯有限公司", "境内法人", "0.50%"), ("杨琴", "自然人", "0.46%"),
                 ("股东名称", "股份种类", "质押数量"), ("徐开东", "人民币普通股", "12"))  # fmt: skip

    def part(number, rows, group="t0"):
        one = table(rows)
        bare = replace(one.table, cells=tuple(replace(c, header=False) for c in one.table.cells))
        return replace(one, table=bare, group=group, part=number, parts=2)

    def holders(*blocks):
        return [(f.head.text, f.value) for _, f in facts_of_tables(blocks) if f.type == "owns"]

    assert holders(part(0, first), part(1, next_part)) == [
        ("北京海鸿投资有限公司", "9.33%"), ("南京方凯有限公司", "0.50%"), ("杨琴", "0.46%")
    ]  # fmt: skip
    assert holders(part(0, first), part(1, next_part, group="t1")) == [("北京海鸿投资有限公司", "9.33%")]
