"""Statements that a rule for near words got wrong in letters, reports and notices."""

from h3cold.kg.linking import link


def names_of(got):
    return {n for e in link(got.mentions, got.relations) for n in (e.name, *e.aliases)}


def test_the_head_of_a_letter_is_no_parent(reading):
    got = reading(
        "Arden & Pike LLP\n12 High Street\nMr. Daniel Whitcombe\nChief Financial Officer, Corwin Pumps, Inc.\n"
        "You asked about the guarantee that Corwin Pumps, Inc. is to give to the Bank of Dongyu for a loan to its "
        "subsidiary Ningbo Hailan Sensing Co., Ltd.",
    )
    assert [t for h, k, t in got.edges() if k == "subsidiary_of"] == ["Corwin Pumps, Inc."]
    assert not any("Officer" in n or "Chief" in n for n in names_of(got))


def test_a_person_of_a_firm_and_what_follows_a_name(reading):
    got = reading(
        "Qingyu Valves Co., Ltd. sells valves. It was described by Shen Wei of Qingyu Valves Co., Ltd. in May.",
    )
    assert {"Shen Wei", "Qingyu Valves Co., Ltd."} <= names_of(got)
    assert not any(" of Qingyu" in n for n in names_of(got))


def test_who_sells_a_stake_does_not_own_it(reading):
    got = reading(
        "2023年5月16日，公司将持有的宁波海蓝传感技术有限公司51%股权转让给北极仪器有限公司，价款为人民币100万元。",
        language="zh",
        company="青屿精密仪器股份有限公司",
    )
    owners = {h for h, k, _ in got.edges() if k == "owns"}
    assert owners == {"北极仪器有限公司"}


def test_each_guarantor_has_its_own_amount(reading):
    got = reading(
        "2023年7月，公司与北极仪器有限公司分别为宁波海蓝传感技术有限公司向东屿银行的借款提供担保，"
        "其中公司担保金额为人民币4,000万元，担保期限三年。",
        language="zh",
        company="青屿精密仪器股份有限公司",
    )
    amounts = {h: v for (h, k, t), (v, _) in got.edges().items() if k == "guarantees" and t.startswith("宁波海蓝")}
    assert amounts == {"青屿精密仪器股份有限公司": "人民币4,000万元", "北极仪器有限公司": ""}


def test_the_year_of_a_deed_is_not_the_date_of_its_fine(reading):
    got = reading(
        "因公司在2022年销售未经检定的流量计，东屿市计量监督管理局对公司处以罚款人民币32万元。",
        language="zh",
        company="青屿精密仪器股份有限公司",
    )
    assert [v for (_, k, _), v in got.edges().items() if k == "penalised_by"] == [("人民币32万元", "")]


def test_the_part_a_firm_plays_is_not_in_its_name(reading):
    got = reading("其中第一大客户北极仪器有限公司占9.8%。", language="zh")
    assert "北极仪器有限公司" in names_of(got) and not any("客户" in n for n in names_of(got))
