"""Each type of relation has a pattern that works, in each language where it makes sense."""

from __future__ import annotations

from typing import get_args

import pytest

from h3cold.kg.benchmark_edges import block
from h3cold.kg.extract import extract
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.graph import RelationType

ENGLISH = {
    "owns": "Granite Peak Corp. owns 51% of Sable Pipelines Inc.",
    "acquires": "Granite Peak Corp. acquired Sable Pipelines Inc. for $66 million in 2021.",
    "subsidiary_of": "Sable Pipelines Inc. is a wholly owned subsidiary of Granite Peak Corp.",
    "invests_in": "Granite Peak Corp. invested $5 million in Sable Pipelines Inc.",
    "officer_of": "Mary Walker is the chief executive officer of Granite Peak Corp.",
    "employed_by": "Mary Walker worked for Granite Peak Corp. until 2019.",
    "party_to": "Granite Peak Corp. and Sable Pipelines Inc. entered into the Credit Agreement.",
    "supplies": "Sable Pipelines Inc. supplies steel to Granite Peak Corp.",
    "located_in": "Granite Peak Corp. is headquartered in Denver.",
    "regulated_by": "Granite Bank Corp. is regulated by the Federal Reserve Board.",
    "penalised_by": "The SEC fined Granite Peak Corp. $5 million in 2021.",
    "litigates_against": "Granite Peak Corp. sued Sable Pipelines Inc. in 2020.",
    "guarantees": "Granite Peak Corp. guarantees the notes of Sable Pipelines Inc.",
    "cites": "The Dodd-Frank Act amended the Securities Exchange Act of 1934.",
    "measure_of": "Granite Peak Corp. reported revenue of $1.2 billion for 2023.",
}
CHINESE = {
    "owns": "海隆石油股份有限公司持有永德矿业有限公司58%的股权。",
    "acquires": "海隆石油股份有限公司以3亿元收购永德矿业有限公司。",
    "subsidiary_of": "永德矿业有限公司是海隆石油股份有限公司的全资子公司。",
    "invests_in": "海隆石油股份有限公司向永德矿业有限公司增资2亿元。",
    "officer_of": "王建国现任海隆石油股份有限公司董事长。",
    "employed_by": "王建国曾任职于海隆石油股份有限公司。",
    "party_to": "海隆石油股份有限公司与永德矿业有限公司签订了《采购合同》。",
    "supplies": "海隆石油股份有限公司向永德矿业有限公司供应钢材。",
    "located_in": "海隆石油股份有限公司总部位于上海。",
    "regulated_by": "海隆银行股份有限公司受中国银保监会监管。",
    "penalised_by": "中国证监会对海隆石油股份有限公司处以500万元罚款。",
    "litigates_against": "海隆石油股份有限公司起诉永德矿业有限公司。",
    "guarantees": "海隆石油股份有限公司为永德矿业有限公司提供担保。",
    "cites": "《证券发行管理办法》根据《中华人民共和国证券法》制定。",
    "measure_of": "海隆石油股份有限公司2021年毛利率为34.5%。",
}


def relations(text: str, language: str) -> set[str]:
    """Types of the edges of one passage."""
    found = extract([block(text, 0, "0" * 32, language)], info=DocumentInfo(language=language))
    return {r.type for r in found.relations}


@pytest.mark.parametrize("type", get_args(RelationType))
def test_every_type_is_found_in_english(type: str) -> None:
    assert type in relations(ENGLISH[type], "en")


@pytest.mark.parametrize("type", get_args(RelationType))
def test_every_type_is_found_in_chinese(type: str) -> None:
    assert type in relations(CHINESE[type], "zh")


OWNERS = [
    "Tarnowska SA is the beneficial owner of approximately 22% of Sable Pipelines Inc.",
    "Granite Peak Corp. was the record and beneficial owner of 61% of the outstanding shares of Sable Pipelines Inc.",
    "Granite Peak Corp. owns 60% of Sable Pipelines Inc.",
    "Granite Peak PBC is the beneficial owner of approximately 22% of our common stock.",
]


@pytest.mark.parametrize("text", OWNERS)
def test_who_is_called_an_owner_owns(text: str) -> None:
    found = extract([block(text, 0, "0" * 32)], info=DocumentInfo(language="en", company="Sable Pipelines Inc."))
    assert [(r.type, r.value[-1:]) for r in found.relations] == [("owns", "%")]
