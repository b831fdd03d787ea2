import random
import tracemalloc

from h3cold.kg.benchmark_edges import block
from h3cold.kg.extract import MOST_MENTIONS, extract
from h3cold.schemas.block import Block, block_id
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.geometry import PageBox
from h3cold.schemas.page import Cell, Table


def table_block(rows, *, caption="", document="c" * 32):
    cells = tuple(
        Cell(r, c, text, (10.0 * c, 10.0 * r, 10.0 * c + 9, 10.0 * r + 9), header=r == 0)
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
        if text
    )
    text = "\n".join(" | ".join(row) for row in rows)
    boxes = (PageBox(7, (0.0, 0.0, 100.0, 100.0), 0, len(text)),)
    table = Table(len(rows), len(rows[0]), cells)
    return Block(block_id(document, 0), document, 0, "table", text, (), boxes, caption=caption, table=table)


def test_english_edges_with_direction_value_and_period(english):
    edges = english.edges()
    acme = "Acme Robotics, Inc."
    assert edges[acme, "acquires", "Beta Sensors Ltd."] == ("$12 million", "March 3, 2022")
    assert edges[acme, "owns", "Gamma Labs LLC"] == ("51%", "")
    assert edges[acme, "penalised_by", "SEC"] == ("$3 million", "2023")
    assert edges["Jane Q. Smith", "officer_of", acme] == ("Chief Executive Officer", "")
    assert ("Gamma Labs LLC", "subsidiary_of", acme) in edges
    assert ("Gamma Labs LLC", "located_in", "Austin") in edges
    assert (acme, "regulated_by", "Federal Reserve Board") in edges


def test_what_is_denied_or_only_possible_is_no_edge(english, chinese):
    tails = {tail for _, type, tail in {**english.edges(), **chinese.edges()} if type == "acquires"}
    assert tails == {"Beta Sensors Ltd.", "深圳市小米软件有限公司"}


def test_chinese_edges(chinese):
    edges = chinese.edges()
    parent = next(h for h, t, _ in edges if t == "owns")
    assert parent in ("华夏科技", "华夏科技股份有限公司")
    assert edges[parent, "owns", "北京星辰软件有限公司"][0] == "51%"
    assert edges[parent, "penalised_by", "中国证监会"] == ("300万元", "2023年5月")
    assert edges["张伟", "officer_of", parent][0] == "董事长"
    assert edges["王芳", "officer_of", "北京星辰软件有限公司"][0] == "总经理"


def test_mentions_stand_where_they_say(english, chinese):
    for one in (english, chinese):
        assert one.mentions
        for m in one.mentions:
            assert one.blocks[m.block].text[m.start : m.end] == m.text
            assert m.page == 1 and m.bbox == (0.0, 0.0, 1.0, 1.0)
        for r in one.relations:
            assert 0 <= r.start < r.end <= len(one.blocks[r.block].text)


def test_a_mention_takes_the_box_that_holds_it():
    text = "Acme Inc. paid.\nBeta Ltd. paid."
    boxes = (PageBox(3, (0.0, 0.0, 9.0, 9.0), 0, 15), PageBox(4, (1.0, 1.0, 8.0, 8.0), 16, len(text)))
    one = Block(block_id("d" * 32, 0), "d" * 32, 0, "passage", text, (), boxes)
    places = {m.text: (m.page, m.bbox) for m in extract([one], info=DocumentInfo()).mentions if m.type == "ORG"}
    assert [v for _, v in sorted(places.items())] == [(3, (0.0, 0.0, 9.0, 9.0)), (4, (1.0, 1.0, 8.0, 8.0))]


def test_short_names_meet_the_full_name_of_their_document(english, chinese):
    ids = {m.text: m.entity for m in english.mentions}
    assert ids["Acme"] == ids["Company"] == ids["Acme Robotics, Inc."]
    assert ids["Smith"] == ids["Jane Q. Smith"]
    ids = {m.text: m.entity for m in chinese.mentions}
    assert ids["本公司"] == ids["华夏科技"] == ids["华夏科技股份有限公司"]


def test_the_pair_of_names_that_a_document_gives_is_one_thing(chinese):
    ids = {m.text: m.entity for m in chinese.mentions}
    assert ids["Tencent Holdings Limited"] == ids["腾讯控股有限公司"]


def test_a_report_says_what_it_calls_itself(reading):
    one = reading(
        "When we use the terms “Northwind,” “the firm,” “we,” “us” and “our,” we mean "
        "Northwind Traders Group, Inc. and its subsidiaries.",
        "Mr. Paul Adams has been our Chief Financial Officer since 2019. "
        "In 2020, we acquired Contoso Ltd. for $5 million.",
    )
    edges = one.edges()
    assert ("Paul Adams", "officer_of", "Northwind Traders Group, Inc.") in edges
    assert edges["Northwind Traders Group, Inc.", "acquires", "Contoso Ltd."] == ("$5 million", "2020")


def test_shareholder_subsidiary_and_officer_tables(reading):
    rows = [["股东名称", "持股数量", "持股比例"], ["北京大地投资有限公司", "1,000", "35.20%"]]
    holders = table_block([*rows, ["合计", "1,000", "35.20%"]])
    # Only the description names the company: the edge ends at it all the same.
    one = reading(holders, company="华夏科技股份有限公司", language="zh")
    assert one.edges()["北京大地投资有限公司", "owns", "华夏科技股份有限公司"] == ("35.20%", "")
    assert one.graph()[1].number_of_edges() == 1
    intro = block("华夏科技股份有限公司的股东如下。", 1, "c" * 32, "zh")
    one = reading(holders, intro, company="华夏科技股份有限公司", language="zh")
    assert one.edges()["北京大地投资有限公司", "owns", "华夏科技股份有限公司"] == ("35.20%", "")
    intro = block("Acme Inc. lists its subsidiaries.", 1, "c" * 32)
    rows = [["Name of Subsidiary", "Jurisdiction"], ["Beta Sensors Ltd.", "Delaware"]]
    edges = reading(table_block(rows), intro, company="Acme Inc.").edges()
    assert ("Beta Sensors Ltd.", "subsidiary_of", "Acme Inc.") in edges
    assert ("Beta Sensors Ltd.", "located_in", "Delaware") in edges
    rows = [["Name", "Position"], ["Jane Smith", "Chief Executive Officer"]]
    edges = reading(table_block(rows), intro, company="Acme Inc.").edges()
    assert edges["Jane Smith", "officer_of", "Acme Inc."][0] == "Chief Executive Officer"


def test_key_figures_come_from_row_column_and_header(reading):
    rows = [
        ["(in thousands)", "2023", "2022"],
        ["Total revenues", "$ 1,234", "1,100"],
        ["Gross margin", "41%", "39%"],
        ["Widgets", "5", "6"],
    ]
    intro = block("Acme Inc. reports.", 1, "c" * 32)
    one = reading(table_block(rows), intro, company="Acme Inc.")
    figures = {(r.value, r.period) for r in one.relations if r.type == "measure_of"}
    assert figures == {
        ("$ 1,234 (in thousands)", "2023"),
        ("1,100 (in thousands)", "2022"),
        ("41%", "2023"),
        ("39%", "2022"),
    }
    assert all(r.page == 7 for r in one.relations)


def test_extraction_repeats_itself_and_keeps_no_state(english, reading):
    again = reading(*(b.text for b in english.blocks.values()))
    assert again.mentions == english.mentions and again.relations == english.relations


def test_hostile_text_is_bounded():
    for text, language in [
        ("中" * 60_000, "zh"),
        ("A" * 200_000, "en"),
        ("(“" * 20_000, "en"),
        ("1," * 50_000, "en"),
        ("Il|中.A“" * 3000, "en"),
    ]:
        result = extract([block(text, 0, "e" * 32, language)], info=DocumentInfo(company="Acme Inc."))
        assert len(result.mentions) <= MOST_MENTIONS
        assert len(result.relations) < 50


def test_ten_thousand_names_are_a_bounded_number_of_mentions():
    text = ", ".join(f"Firm{n} Holdings Inc." for n in range(10_000))
    assert len(extract([block(text, 0, "f" * 32)], info=DocumentInfo()).mentions) == MOST_MENTIONS


def test_no_block_is_no_knowledge():
    assert extract([], info=DocumentInfo()) == ([], [])


def test_a_share_is_that_of_its_own_clause(reading):
    text = "董事长张建国。东屿明远投资有限公司为本公司控股股东，张建国持有其62%的股权，为本公司实际控制人。"
    edges = reading(text, company="青屿精密仪器股份有限公司", language="zh").edges()
    assert edges["东屿明远投资有限公司", "owns", "青屿精密仪器股份有限公司"][0] == ""
    assert ("青屿精密仪器股份有限公司", "owns", "东屿明远投资有限公司") not in edges
    assert edges["张建国", "owns", "东屿明远投资有限公司"][0] == "62%"


def test_each_party_that_the_authority_turns_to_is_penalised(reading):
    text = "2022年5月，江海证监局因违规减持，对海棠控股有限公司处以200万元罚款；对李建国给予警告，并处以30万元罚款。"
    edges = reading(text, language="zh").edges()
    assert edges["海棠控股有限公司", "penalised_by", "江海证监局"][0] == "200万元"
    assert edges["李建国", "penalised_by", "江海证监局"][0] == "30万元"
    text = "江海证监局未对海棠控股有限公司作出行政处罚。"
    assert not reading(text, language="zh").edges()


def test_parties_that_a_contract_names_sign_it(reading):
    text = "甲方：山岚置业有限公司\n乙方：北斗保洁有限公司\n甲乙双方经协商签订《物业服务合同》。"
    edges = reading(text, language="zh").edges()
    assert {h for h, t, _ in edges if t == "party_to"} == {"山岚置业有限公司", "北斗保洁有限公司"}
    text = "Alder Mills, Inc. (the “Lessor”) and Birch & Sons LLC (the “Lessee”) entered into a Master Lease Agreement."
    edges = reading(text).edges()
    assert {h for h, t, _ in edges if t == "party_to"} == {"Alder Mills, Inc.", "Birch & Sons LLC"}


def test_conditions_and_denials_in_other_dress_are_no_edges(reading):
    for text in [
        "Had Alder Mills, Inc. acquired Birch Paper Ltd., it would have failed.",
        "Neither Alder Mills, Inc. nor Birch Paper Ltd. was fined by the Federal Trade Commission.",
        "Alder Mills, Inc. was not the parent of Birch Paper Ltd.",
    ]:
        assert not reading(text).edges(), text


def test_traditional_characters_are_read_and_kept_as_printed(reading):
    one = reading("寶山銀行股份有限公司董事長陳美惠持有遠東電子有限公司30%的股權。", language="zh")
    assert one.edges()["陳美惠", "owns", "遠東電子有限公司"][0] == "30%"
    assert {m.text for m in one.mentions if m.type == "PERSON"} == {"陳美惠"}


def test_committees_degrees_and_deals_make_no_edges(reading):
    one = reading(
        "Ms. Ann Black has served as Chair of the Audit Committee of Ichor Tools, Ltd. since 2019. "
        "She holds an M.B.A. from Harvard University. In 2008 Ichor Tools, Ltd. sold its chipset business to Mira Inc."
    )
    assert not {t for _, type, t in one.edges() if type in ("owns", "supplies")}
    assert not any("Committee" in m.text or "M.B.A" in m.text for m in one.mentions)


def test_two_names_joined_by_and_are_two(reading):
    one = reading(
        "Lifeway Dairy, Inc. (“Lifeway”) grew. Lifeway and Danone are parties to a Stockholders’ Agreement. "
        "Danone sold shares."
    )
    assert not any(m.text == "Lifeway and Danone" for m in one.mentions)


def test_owners_of_a_proxy_statement_hold_their_share():
    rows = [
        ["Name", "Number of Shares Beneficially Owned", "Percentage"],
        ["Kestrel Bank, Inc. 55 East 52nd Street New York, NY 10055", "35,533,917", "15.4%"],
        ["Ines Teal", "622,267", "*"],
        ["All directors and executive officers as a group", "2,035,040", "1%"],
    ]
    found = extract([table_block(rows)], info=DocumentInfo(company="Tarn Holdings plc"))
    names = {m.entity: m.text for m in found.mentions}
    held = [(names[r.head], r.value) for r in found.relations if r.type == "owns"]
    assert held == [("Kestrel Bank, Inc.", "15.4%")]


def test_tables_of_parts_shares_and_changes_state_no_measures(reading):
    intro = block("Acme Inc. reports.", 1, "c" * 32)
    header = ["(in millions)", "2023", "2022"]
    for rows in (
        [["Sales", "(645)", "(1,668)"], ["Purchases", "20", "30"], ["Settlements", "4", "5"]],
        [["Total revenues", "100.0", "100.0"], ["Gross profit", "41.5", "39.9"], ["Net income", "3.2", "1.1"]],
        [["Cost of sales", "7,469", "7,806"], ["Research and development", "22,666", "23,768"],
         ["Total stock-based compensation", "30,135", "31,574"]],
    ):  # fmt: skip
        one = reading(table_block([header, *rows]), intro, company="Acme Inc.")
        assert not [r for r in one.relations if r.type == "measure_of"], rows
    rows = [["Net income", "$ 247,772", "$ 786,284"], ["Per share data:", "", ""], ["Net income", "$ 0.85", "$ 2.65"]]
    one = reading(table_block([["", "2009", "2008"], *rows]), intro, company="Acme Inc.")
    assert {r.value for r in one.relations} == {"$ 247,772", "$ 786,284"}


def test_a_company_named_beside_another_stands_by_itself(reading):
    one = reading(
        "Sysorex, Inc. (“Sysorex”) was spun off. Sysorex and Atlas Technology Group, LLC signed a Note Purchase "
        "Agreement. Mr. Paul Reed was Vice President and Chief Financial Officer of Osprey Semiconductor Corp."
    )
    texts = {m.text for m in one.mentions if m.type == "ORG"}
    assert {"Sysorex", "Atlas Technology Group, LLC"} <= texts
    assert not any(" and " in t for t in texts)
    tails = {tail for _, type, tail in one.edges() if type == "officer_of"}
    assert tails and all(t.startswith("Osprey") for t in tails)


def test_long_lists_and_noise_take_bounded_time_and_memory():
    rng = random.Random(4)
    noise = "".join(rng.choice("Il1|.,;:O0o中国公司银行 \n") for _ in range(60_000))
    people = ", ".join(f"John Q. Smith{n}" for n in range(10_000))
    firms = "、".join(f"第{n}号控股有限公司" for n in range(10_000))
    holders = "".join(f"股东{n}有限公司持有目标{n}有限公司51%的股权，" for n in range(2_000))
    texts = {"noise": noise, "people": people, "firms": firms, "holders": holders, "solid": "a" * 1_000_000}
    for name, text in texts.items():
        if name == "solid":
            tracemalloc.start()
        result = extract([block(text, 0, "e" * 32, "zh" if name != "people" else "en")], info=DocumentInfo())
        assert len(result.mentions) <= MOST_MENTIONS and len(result.relations) <= 2 * MOST_MENTIONS, name
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


def test_a_company_that_its_cover_prints_in_capitals_is_known_in_sentences(reading):
    text = (
        "Zyxware grew. In 2020 Zyxware met Sysorex, Inc. and Sysorex, Inc. met Zyxware. We acquired Mira Ltd. in 2021."
    )
    edges = reading(text, company="ZYXWARE").edges()
    assert {h.casefold() for h, t, tail in edges if t == "acquires"} == {"zyxware"}
