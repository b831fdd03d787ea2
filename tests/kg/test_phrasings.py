"""Relations in several words of each language: who, to whom, how much, when; what is denied or possible is none."""
# ruff: noqa: E501  (a sentence and what it says are one row)

import pytest

from h3cold.kg.benchmark_edges import block
from h3cold.kg.extract import extract
from h3cold.schemas.document import DocumentInfo

A, B, P = "Granite Peak Corp.", "Sable Pipelines Inc.", "Mary Walker"
BANK, FED, SEC = "Granite Bank Corp.", "Federal Reserve Board", "SEC"
甲, 乙, 人, 银行 = "海隆石油股份有限公司", "永德矿业有限公司", "王建国", "海隆银行股份有限公司"
证监会, 银保监会 = "中国证监会", "中国银保监会"

# relation, text, head, tail, value, period
SAID = [
    ("owns", f"As of December 31, 2022, {A} held 51% of the outstanding common stock of {B}", A, B, "51%", "December 31, 2022"),
    ("owns", f"{B} is 51% owned by {A}", A, B, "51%", ""),
    ("owns", f"{A} is the majority shareholder of {B}", A, B, "", ""),
    ("owns", f"{B}, in which {A} has a 51% interest, makes pipes.", A, B, "51%", ""),
    ("owns", f"{A} increased its stake in {B} to 51% in 2021.", A, B, "51%", "2021"),
    ("acquires", f"{B} was acquired by {A} in 2021 for $66 million.", A, B, "$66 million", "2021"),
    ("acquires", f"In 2021, {A} completed its acquisition of {B} for $66 million.", A, B, "$66 million", "2021"),
    ("acquires", f"{A} took over {B} in 2021.", A, B, "", "2021"),
    ("subsidiary_of", f"{A} is the parent of {B}", B, A, "", ""),
    ("subsidiary_of", f"{A} and its wholly-owned subsidiary, {B}, make pipes.", B, A, "", ""),
    ("invests_in", f"{A} made an investment of $5 million in {B} in 2021.", A, B, "$5 million", "2021"),
    ("invests_in", f"{B} raised $5 million from {A} in 2021.", A, B, "$5 million", "2021"),
    ("officer_of", f"{A} named {P} chief executive officer in 2021.", P, A, "chief executive officer", "2021"),
    ("officer_of", f"{P} joined the board of {A} in 2021.", P, A, "director", "2021"),
    ("officer_of", f"{A}'s CEO {P} resigned.", P, A, "CEO", ""),
    ("employed_by", f"{P}, an employee of {A}, said so.", P, A, "", ""),
    ("employed_by", f"{A} hired {P} in 2019.", P, A, "", "2019"),
    ("party_to", f"The Credit Agreement was signed by {A} and {B} in 2021.", A, "Credit Agreement", "", "2021"),
    ("party_to", f"The Credit Agreement, dated as of May 3, 2021, by and among {A} and {B}, expires.", B, "Credit Agreement", "", "May 3, 2021"),
    ("supplies", f"{A} purchases its steel from {B}", B, A, "", ""),
    ("supplies", f"{A} is {B}'s largest customer.", B, A, "", ""),
    ("located_in", f"The headquarters of {A} are located in Denver", A, "Denver", "", ""),
    ("located_in", f"Denver-based {A} makes pipes.", A, "Denver", "", ""),
    ("located_in", f"{A} is a Delaware corporation.", A, "Delaware", "", ""),
    ("regulated_by", f"{BANK} is subject to regulation by the {FED}.", BANK, FED, "", ""),
    ("regulated_by", f"The {FED} is the primary regulator of {BANK}", BANK, FED, "", ""),
    ("penalised_by", f"The {SEC} imposed a civil penalty of $5 million on {A} in 2021.", A, SEC, "$5 million", "2021"),
    ("penalised_by", f"{A} received a $5 million fine from the {SEC} in 2021.", A, SEC, "$5 million", "2021"),
    ("litigates_against", f"A complaint was filed by {A} against {B} in 2020.", A, B, "", "2020"),
    ("litigates_against", f"{B} is a defendant in a lawsuit brought by {A}", A, B, "", ""),
    ("guarantees", f"{A} acts as guarantor of {B}", A, B, "", ""),
    ("guarantees", f"The notes issued by {B} are fully and unconditionally guaranteed by {A}", A, B, "", ""),
    ("cites", "Rule 10b-5 was adopted under the Securities Exchange Act of 1934.", "Rule 10b-5", "Securities Exchange Act of 1934", "", "*"),
    ("cites", "The Securities Act of 1933 was amended by the Jobs Act of 2012.", "Jobs Act of 2012", "Securities Act of 1933", "amends", "*"),
    ("measure_of", f"Gross margin of {A} was 34.5% in 2023.", A, "Gross margin", "34.5%", "2023"),
    ("measure_of", f"{A} had net income of $12 million in the first half of 2023.", A, "net income", "$12 million", "first half of 2023"),
    ("owns", f"{乙}由{甲}持股58%。", 甲, 乙, "58%", ""),
    ("owns", f"{乙}的控股股东为{甲}，持股比例58%。", 甲, 乙, "58%", ""),
    ("acquires", f"2021年5月，{甲}收购了{乙}100%股权，交易对价3亿元。", 甲, 乙, "3亿元", "2021年5月"),
    ("acquires", f"{甲}完成对{乙}的收购。", 甲, 乙, "", ""),
    ("subsidiary_of", f"{甲}的控股子公司{乙}发布公告。", 乙, 甲, "", ""),
    ("subsidiary_of", f"{乙}系{甲}的控股子公司，持股比例为70%。", 乙, 甲, "70%", ""),
    ("invests_in", f"{乙}获得{甲}2亿元战略投资。", 甲, 乙, "2亿元", ""),
    ("invests_in", f"{甲}参与{乙}A轮融资，投资金额2亿元。", 甲, 乙, "*", ""),
    ("officer_of", f"{人}于2021年5月被任命为{甲}总裁。", 人, 甲, "总裁", "2021年5月"),
    ("officer_of", f"{甲}聘任{人}为总经理。", 人, 甲, "总经理", ""),
    ("employed_by", f"{人}在{甲}工作。", 人, 甲, "", ""),
    ("employed_by", f"{人}为{甲}员工。", 人, 甲, "", ""),
    ("party_to", f"2021年5月3日，{甲}和{乙}签署《股权转让协议》。", 乙, "《股权转让协议》", "", "2021年5月3日"),
    ("party_to", f"《采购合同》由{甲}与{乙}签订。", 甲, "《采购合同》", "", ""),
    ("supplies", f"{乙}是{甲}的第一大客户。", 甲, 乙, "", ""),
    ("supplies", f"{乙}向{甲}采购钢材。", 甲, 乙, "", ""),
    ("located_in", f"总部设在北京的{甲}发布公告。", 甲, "北京", "", ""),
    ("located_in", f"{甲}注册地为上海市。", 甲, "上海市", "", ""),
    ("regulated_by", f"{银保监会}对{银行}实施监管。", 银行, 银保监会, "", ""),
    ("regulated_by", f"{银行}受{银保监会}监管。", 银行, 银保监会, "", ""),
    ("penalised_by", f"2021年5月，{甲}被{证监会}罚款500万元。", 甲, 证监会, "500万元", "2021年5月"),
    ("penalised_by", f"{证监会}决定对{人}给予警告，并处以30万元罚款。", 人, 证监会, "30万元", ""),
    ("litigates_against", f"{甲}将{乙}诉至法院。", 甲, 乙, "", ""),
    ("litigates_against", f"{乙}被{甲}起诉。", 甲, 乙, "", ""),
    ("guarantees", f"{乙}的贷款由{甲}担保。", 甲, 乙, "", ""),
    ("guarantees", f"{甲}对{乙}提供担保2亿元。", 甲, 乙, "2亿元", ""),
    ("cites", "根据《中华人民共和国公司法》，制定《公司登记管理条例》。", "《公司登记管理条例》", "《中华人民共和国公司法》", "", ""),
    ("cites", "《股票条例》被《证券法》废止。", "《证券法》", "《股票条例》", "废止", ""),
    ("measure_of", f"2021年上半年，{甲}实现营业收入12.6亿元。", 甲, "营业收入", "12.6亿元", "2021年上半年"),
    ("measure_of", f"{甲}2021年应收账款周转率为5.2次。", 甲, "应收账款周转率", "5.2次", "2021年"),
]  # fmt: skip
UNSAID = [
    ("owns", f"{A} does not own 51% of {B}"), ("owns", f"If {A} owns 51% of {B}, it may name its directors."),
    ("owns", f"{A} may increase its stake in {B} to 51%."), ("owns", f"{A} is not a shareholder of {B}"),
    ("acquires", f"{A} did not acquire {B}"), ("acquires", f"{A} would have acquired {B} for $66 million."),
    ("acquires", f"{A} plans to acquire {B} in 2021."), ("acquires", f"The proposed acquisition of {B} by {A} was abandoned."),
    ("subsidiary_of", f"{B} is not a subsidiary of {A}"), ("subsidiary_of", f"If {B} becomes a subsidiary of {A}, taxes rise."),
    ("invests_in", f"{A} never invested in {B}"), ("invests_in", f"{A} may make an investment of $5 million in {B}"),
    ("officer_of", f"{P} is not the chief executive officer of {A}"), ("officer_of", f"{P} could become chairman of {A}"),
    ("employed_by", f"{P} has never worked for {A}"), ("employed_by", f"{P} would join {A} if she were asked."),
    ("party_to", f"{A} is not a party to the Credit Agreement."), ("party_to", f"{A} expects to enter into the Credit Agreement with {B}"),
    ("supplies", f"{B} does not supply steel to {A}"), ("supplies", f"{B} may supply steel to {A}"),
    ("regulated_by", f"{BANK} is not regulated by the {FED}."), ("regulated_by", f"{BANK} may be regulated by the {FED}."),
    ("penalised_by", f"The {SEC} did not fine {A}"), ("penalised_by", f"The {SEC} could fine {A} $5 million."),
    ("litigates_against", f"{A} has not sued {B}"), ("litigates_against", f"{A} threatened to sue {B}"),
    ("guarantees", f"{A} does not guarantee the notes of {B}"), ("guarantees", f"{A} may guarantee the notes of {B}"),
    ("measure_of", f"{A} expects revenue of $1.2 billion in 2023."), ("measure_of", f"If revenue of {A} reached $1.2 billion, it would grow."),
    ("owns", f"{甲}未持有{乙}股权。"), ("owns", f"如果{甲}持有{乙}58%的股权，将成为控股股东。"),
    ("acquires", f"{甲}拟收购{乙}。"), ("acquires", f"{甲}没有收购{乙}。"), ("acquires", f"若{甲}收购{乙}，需要审批。"),
    ("subsidiary_of", f"{乙}不是{甲}的子公司。"), ("invests_in", f"{甲}计划向{乙}增资2亿元。"),
    ("officer_of", f"{人}不担任{甲}董事长。"), ("officer_of", f"{甲}拟聘任{人}为总经理。"),
    ("party_to", f"{甲}拟与{乙}签订《采购合同》。"), ("party_to", f"{甲}未与{乙}签订《采购合同》。"),
    ("supplies", f"{甲}没有向{乙}供应钢材。"), ("penalised_by", f"{证监会}未对{甲}处以罚款。"),
    ("litigates_against", f"{甲}未起诉{乙}。"), ("guarantees", f"{甲}拟为{乙}提供担保。"),
    ("guarantees", f"{甲}没有为{乙}提供担保。"), ("measure_of", f"{甲}预计2023年净利润达到1.2亿元。"),
]  # fmt: skip


def read(text):
    return extract([block(text, 0, "0" * 32, "zh" if text[0] > "z" else "en")], info=DocumentInfo())


@pytest.mark.parametrize(("type", "text", "head", "tail", "value", "period"), SAID)
def test_a_relation_is_read_in_other_words(type, text, head, tail, value, period):
    found = read(text)
    names = {}
    for mention in found.mentions:
        names.setdefault(mention.entity, mention.text)
        assert text[mention.start : mention.end] == mention.text
    edges = [r for r in found.relations if r.type == type and (names[r.head], names[r.tail]) == (head, tail)]
    assert edges, [(r.type, names[r.head], names[r.tail]) for r in found.relations]
    edge = edges[0]
    assert value in ("*", edge.value) and period in ("*", edge.period)
    assert 0 < edge.confidence <= 1 and edge.page == 1
    assert 0 <= edge.start < edge.end <= len(text)
    assert head.strip(".") in text[edge.start : edge.end] or tail in text[edge.start : edge.end]


@pytest.mark.parametrize(("type", "text"), UNSAID)
def test_what_is_denied_conditional_or_only_possible_is_no_relation(type, text):
    assert type not in {r.type for r in read(text).relations}
