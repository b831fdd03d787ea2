"""Which Chinese firms have a name of their own, and where it begins."""

import pytest

from h3cold.kg.ner_zh import find_names
from h3cold.kg.spans import disjoint

NOBODY = [
    "该诉讼详见公司2021年年度报告。",
    "事项进展公司将及时披露。",
    "本会计年度公司实现营业收入10亿元。",
    "科技有限公司应当依法纳税。",
    "光热发电系统科技有限公司主营热能。",
    "我们的中国公司与投资管理有限公司合作。",
]
WHOLE = [
    ("公司持有江苏安靠光热发电系统科技有限公司60%股权。", "江苏安靠光热发电系统科技有限公司"),
    ("江苏安靠光热发电系统科技有限公司成立于2016年。", "江苏安靠光热发电系统科技有限公司"),
    ("三峡公司与波音公司合作。", "三峡公司"),
    ("公司收购太阳纸业股份有限公司。", "太阳纸业股份有限公司"),
    ("上海电力公司与海隆石油股份有限公司签订合同。", "上海电力公司"),
    ("公司在江苏设立海隆科技有限公司。", "海隆科技有限公司"),
]


def firms(text: str) -> set[str]:
    return {s.text for s in disjoint(find_names(text)) if s.type == "ORG"}


@pytest.mark.parametrize("text", NOBODY)
def test_a_form_without_a_name_is_nobody(text: str) -> None:
    assert not firms(text)


@pytest.mark.parametrize(("text", "name"), WHOLE)
def test_a_name_is_whole(text: str, name: str) -> None:
    assert name in firms(text)
