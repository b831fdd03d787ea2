"""Every kind of mention that the graph knows, in English and Chinese."""

from __future__ import annotations

import pytest

from h3cold.kg.benchmark_edges import block
from h3cold.kg.extract import extract
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.graph import EntityType


@pytest.mark.parametrize(
    ("type", "text", "found"),
    [
        ("PERSON", "Ines Teal joined Halden Robotics Inc. as chief executive.", "Ines Teal"),
        ("PERSON", "董事长王建国出席了会议。", "王建国"),
        ("ORG", "Halden Robotics Inc. signed a lease.", "Halden Robotics Inc."),
        ("ORG", "青屿精密仪器股份有限公司发布公告。", "青屿精密仪器股份有限公司"),
        ("ORG", "Apple Inc. (NASDAQ: AAPL) reported its results.", "AAPL"),
        ("ORG", "贵州茅台酒股份有限公司（股票代码：600519）发布公告。", "600519"),
        ("PLACE", "The plant is in Toledo, Ohio.", "Ohio"),
        ("PLACE", "工厂位于浙江省杭州市。", "杭州市"),
        ("AGENCY", "The Securities and Exchange Commission opened an inquiry.", "Securities and Exchange Commission"),
        ("AGENCY", "中国证监会对此立案。", "中国证监会"),
        ("LAW", "Sales under Rule 10b-5 are barred.", "Rule 10b-5"),
        ("LAW", "The Sarbanes-Oxley Act applies.", "Sarbanes-Oxley Act"),
        ("LAW", "依照《中华人民共和国公司法》办理。", "《中华人民共和国公司法》"),
        ("LAW", "按本办法第三十二条办理。", "第三十二条"),
        ("PRODUCT", "We sell FlowMaster 200® meters.", "FlowMaster 200"),
        ("PRODUCT", "公司推出“海岚”牌流量计。", "海岚"),
        ("CONTRACT", "It is a party to the Master Supply Agreement, as amended.", "Master Supply Agreement"),
        ("CONTRACT", "Goods under Contract No. HT-2023-001 were delivered.", "HT-2023-001"),
        ("CONTRACT", "双方签订《股权转让协议》，合同编号：HT-2023-001。", "《股权转让协议》"),
        ("CONTRACT", "双方签订《股权转让协议》，合同编号：HT-2023-001。", "HT-2023-001"),
        ("CASE", "The complaint, Case No. 1:20-cv-01234, was dismissed.", "1:20-cv-01234"),
        ("CASE", "一审判决（2021）京01民终123号已生效。", "（2021）京01民终123号"),
        ("DATE", "It closed on March 31, 2023.", "March 31, 2023"),
        ("DATE", "Sales grew in the first quarter of 2023.", "first quarter of 2023"),
        ("DATE", "该交易于2023年3月31日完成。", "2023年3月31日"),
        ("DATE", "2023年上半年销售增长。", "2023年上半年"),
        ("MONEY", "It paid $3.5 million in cash.", "$3.5 million"),
        ("MONEY", "公司支付350万元。", "350万元"),
        ("PERCENT", "It holds 12.5% of the shares.", "12.5%"),
        ("PERCENT", "占比百分之五。", "百分之五"),
        ("MEASURE", "Gross margin improved.", "Gross margin"),
        ("MEASURE", "应收账款周转率有所提高。", "应收账款周转率"),
        ("REGISTRATION", "Commission file number: 001-36743", "001-36743"),
        ("REGISTRATION", "统一社会信用代码：91330100MA27XYZ12K", "91330100MA27XYZ12K"),
    ],
)  # fmt: skip
def test_every_kind_of_mention_is_found_where_it_stands(type: EntityType, text: str, found: str) -> None:
    one = block(text, 0, "0" * 32)
    mentions = extract([one], info=DocumentInfo()).mentions
    mine = [m for m in mentions if m.type == type and found in m.text]
    assert mine, [(m.type, m.text) for m in mentions]
    for mention in mine:
        assert text[mention.start : mention.end] == mention.text
        assert (mention.block, mention.page, mention.bbox) == (one.id, one.page, one.bbox)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Gross margin of Halden Robotics Inc. was 34.5% in 2023.", "34.5%"),
        ("The current ratio of Halden Robotics Inc. was 1.85 in 2023.", "1.85"),
        ("青屿精密仪器股份有限公司2023年应收账款周转率为5.2次。", "5.2次"),
        ("青屿精密仪器股份有限公司2023年流动比率为1.85。", "1.85"),
    ],
)
def test_a_ratio_is_told_with_its_company_and_value(text: str, value: str) -> None:
    found = [r for r in extract([block(text, 0, "0" * 32)], info=DocumentInfo()).relations if r.type == "measure_of"]
    assert [(r.value, "2023" in r.period) for r in found] == [(value, True)]
