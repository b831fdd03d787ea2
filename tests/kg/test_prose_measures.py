from h3cold.kg.values import find_values


def figures(one):
    names = {e.id: e.name for e in one.graph()[0]}
    return {(names[r.head], names[r.tail], r.value, r.period) for r in one.relations if r.type == "measure_of"}


def test_figures_of_a_sentence_have_subject_value_and_period(reading):
    one = reading(
        "Alder Mills, Inc. reported revenue of $1.2 billion in 2023. Its gross margin was 41%.",
        company="Alder Mills, Inc.",
    )
    found = figures(one)
    assert ("Alder Mills, Inc.", "revenue", "$1.2 billion", "2023") in found
    assert ("Alder Mills, Inc.", "gross margin", "41%", "") in found
    text = "2022年，海棠控股有限公司实现营业收入12.6亿元，应收账款周转率为5.3次，资产负债率为45.2%。"
    found = figures(reading(text, language="zh"))
    assert ("海棠控股有限公司", "营业收入", "12.6亿元", "2022年") in found
    assert ("海棠控股有限公司", "应收账款周转率", "5.3次", "2022年") in found
    assert ("海棠控股有限公司", "资产负债率", "45.2%", "2022年") in found


def test_forecasts_and_changes_are_no_figures(reading):
    for text in (
        "Alder Mills, Inc. expects revenue of $2 billion in 2025.",
        "Revenue of Alder Mills, Inc. rose by $2 million.",
    ):
        assert not figures(reading(text, company="Alder Mills, Inc.")), text
    assert not figures(reading("预计海棠控股有限公司营业收入为20亿元。", language="zh"))


def test_numbers_of_registers_cases_contracts_and_marked_goods():
    text = (
        "统一社会信用代码：91330200MA2AF31N7K，合同编号：HT-2021-0098，银罚决字〔2022〕5号，"
        "国药准字H20012345，“雪峰”牌水泥。 "
        "Commission File Number: 001-12345; Case No. 1:21-cv-00987; U.S. Patent No. 7,123,456; the Impella® pump; "
        "I.R.S. Employer Identification No. 04-2743260."
    )
    found = {(s.type, s.text) for s in find_values(text)}
    assert {
        ("REGISTRATION", "91330200MA2AF31N7K"), ("CONTRACT", "HT-2021-0098"), ("CASE", "银罚决字〔2022〕5号"),
        ("REGISTRATION", "国药准字H20012345"), ("PRODUCT", "雪峰"), ("REGISTRATION", "001-12345"),
        ("CASE", "1:21-cv-00987"),
        ("REGISTRATION", "7,123,456"), ("PRODUCT", "Impella"), ("REGISTRATION", "04-2743260"),
    } <= found  # fmt: skip
    assert all(text[s.start : s.end] == s.text for s in find_values(text))


def test_a_segment_s_figure_gives_way_to_the_company_s(reading):
    one = reading(
        "Alder Mills, Inc. had revenue of $5.2 billion in 2023.",
        "Revenue of Paper: we had revenue of $1.1 billion in 2023. We had revenue of $4.8 billion in 2022.",
        "Our capital ratio must be at least a Tier 1 capital ratio of 6.0%.",
        company="Alder Mills, Inc.",
    )
    assert {(v, p) for _, _, v, p in figures(one)} == {("$5.2 billion", "2023"), ("$4.8 billion", "2022")}
