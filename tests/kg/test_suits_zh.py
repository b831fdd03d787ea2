"""Who sues whom in Chinese: courts are no parties, defendants do not sue each other."""

import pytest

from h3cold.kg.benchmark_edges import block
from h3cold.kg.extract import extract
from h3cold.schemas.document import DocumentInfo

HAILONG, YONGDE, YUANJING = "海隆石油股份有限公司", "永德矿业有限公司", "远景重工有限公司"
SUITS = [
    (
        "铁西区国资局向沈阳市中级人民法院起诉东北电气和沈高及新东北电气。",
        {("铁西区国资局", "东北电气"), ("铁西区国资局", "沈高"), ("铁西区国资局", "新东北电气")},
    ),
    (
        f"{HAILONG}向北京市第一中级人民法院起诉{YONGDE}、{YUANJING}与中泰建设集团。",
        {(HAILONG, YONGDE), (HAILONG, YUANJING), (HAILONG, "中泰建设集团")},
    ),
    (f"{HAILONG}被{YONGDE}在上海市浦东新区人民法院起诉。", {(YONGDE, HAILONG)}),
    (f"{HAILONG}被{YONGDE}、{YUANJING}起诉。", {(YONGDE, HAILONG), (YUANJING, HAILONG)}),
    (f"{HAILONG}、{YONGDE}起诉{YUANJING}。", {(HAILONG, YUANJING), (YONGDE, YUANJING)}),
    (f"{YONGDE}诉{HAILONG}买卖合同纠纷一案由广州市中级人民法院审理。", {(YONGDE, HAILONG)}),
    (f"北京市高级人民法院受理{HAILONG}与{YONGDE}的合同纠纷案。", {(HAILONG, YONGDE)}),
    (f"{HAILONG}与{YONGDE}、{YUANJING}的合同纠纷已了结。", {(HAILONG, YONGDE), (HAILONG, YUANJING)}),
]


@pytest.mark.parametrize(("text", "expected"), SUITS)
def test_each_defendant_is_sued_and_no_court(text: str, expected: set[tuple[str, str]]) -> None:
    found = extract([block(text, 0, "0" * 32, "zh")], info=DocumentInfo(language="zh"))
    names = {m.entity: m.text for m in found.mentions}
    suits = {(names[r.head], names[r.tail]) for r in found.relations if r.type == "litigates_against"}
    assert suits == expected
