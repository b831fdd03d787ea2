"""What one may ask the example documents, and the relations they state; pages are looked up, never written down."""

from __future__ import annotations

from collections.abc import Sequence

from example_docs import annual_en, annual_zh, contract_zh, letters, paper_en, regulation_zh
from h3cold.ingest.generated.truth import Fact, Place, Question, TruthDocument

EN, ZH = annual_en.FILE, annual_zh.FILE
CONTRACT, RULES, PAPER = contract_zh.FILE, regulation_zh.FILE, paper_en.FILE
LETTER, NOTICE = letters.FILE_EN, letters.FILE_ZH

Marks = tuple[tuple[str, str], ...]
"""(file, words that stand on the answering page) for each place."""

QUESTIONS: tuple[tuple[str, str, str, Marks], ...] = (
    # text: a passage says it
    ("en", "text", "Why did gross margin improve in 2023?", ((EN, "freight cost less"),)),
    ("en", "text", "When will the calibration laboratory in Duluth open?", ((EN, "calibration laboratory in Duluth"),)),
    ("en", "text", "Which cyber attack did Larkspur suffer and what did it lose?", ((EN, "false invoices"),)),
    ("en", "text", "How does the estimator recognise periods without flow?", ((PAPER, "smaller by a factor of six"),)),
    ("en", "text", "By when must the guarantee be registered with the foreign exchange authority?",
     ((LETTER, "fifteen working days"),)),
    ("zh", "text", "青屿精密2023年应收账款周转率为什么提高？", ((ZH, "缩短了水务客户的信用期"),)),
    ("zh", "text", "乙方逾期付款要承担什么违约责任？", ((CONTRACT, "万分之三"),)),
    ("zh", "text", "口径DN50以上的流量计强制检定周期是多久？", ((RULES, "口径DN50以上的流量计两年"),)),
    ("zh", "text", "整改通知书要求青屿精密在多少天内完成整改？", ((NOTICE, "三十日内完成以下整改"),)),
    ("zh", "text", "公司可能面对哪些风险？", ((ZH, "原材料价格波动风险"),)),
    # text across languages
    ("en", "text", "Within how many hours must a data leak be reported to the metrology authority?",
     ((RULES, "四十八小时内"),)),
    ("en", "text", "Where are disputes under the Hailan equity transfer agreement arbitrated?",
     ((CONTRACT, "东屿仲裁委员会"),)),
    ("zh", "text", "拉克斯珀仪器公司的循环信贷额度是多少，由哪家银行提供？",
     ((EN, "Our revolving credit facility of $200.0 million"),)),
    # structure: a table, figure or formula holds it
    ("en", "structure", "Compare operating margin of the Water Utilities segment in 2023 and "
        "2022", ((EN, "Water Utilities 168.7"),)),
    ("en", "structure", "Total current assets on the balance sheet of Larkspur", ((EN, "Total current assets"),)),
    ("en", "structure", "Table of leased and owned properties: area of the Ningbo "
        "site", ((EN, "Ningbo, Zhejiang Transducers"),)),
    ("en", "structure", "Chart of net sales and gross profit from 2019 to "
        "2023", ((EN, "Figure 1. Net sales and gross profit"),)),
    ("en", "structure", "Mean absolute error and energy of cross-correlation against the proposed method",
     ((PAPER, "Cross-correlation [4] 0.48"),)),
    ("en", "structure", "Formula for the gain of the Kalman filter", ((PAPER, "K = (P) / (P + R)"),)),
    ("zh", "structure", "对比2022与2023年应收账款周转率", ((ZH, "应收账款周转率（次） 4.55"),)),
    ("zh", "structure", "前十名股东的持股比例表", ((ZH, "东屿明远投资有限公司 9,028.80"),)),
    ("zh", "structure", "合并资产负债表中存货2023年末余额", ((ZH, "存货 七、5"),)),
    ("zh", "structure", "股权转让价款分几期支付，各期金额是多少？", ((CONTRACT, "第一期 本协议生效后"),)),
    ("zh", "structure", "董事、监事和高级管理人员税前报酬", ((ZH, "陆景明 董事长"),)),
    # relation: who stands to whom how
    ("en", "relation", "Who acquired 51% of Ningbo Hailan Sensing Technology, and from whom?",
     ((EN, "we acquired 51% of Ningbo Hailan"), (CONTRACT, "51%的股权（以下简称"), (ZH, "公司将持有的宁波海岚传感"
         "技术有限公司51%股权转让"),
      (EN, "The purchase price of 51%"))),
    ("en", "relation", "Which agency fined Brightwater Metering?", ((EN, "Environmental Protection Agency fined"),)),
    ("en", "relation", "Who is the chief technology officer of Larkspur Instruments?",
     ((EN, "Ingrid Solvang 52"), (EN, "chief technology officer Ingrid Solvang"))),
    ("en", "relation", "Which loans are guaranteed by Larkspur for Ningbo Hailan?",
     ((EN, "we guaranteed a loan of RMB 60 million"), (LETTER, "of RMB 60 million to its subsidiary"),
      (EN, "The guarantee of RMB 60 million"), (ZH, "向东屿银行的借款提供担保"))),
    ("zh", "relation", "青屿精密因何受到哪个机构的行政处罚？",
     ((ZH, "公司收到东屿市计量监督管理局出具的"), (NOTICE, "均未经强制检定"), (EN, "Dongyu Municipal Metrology "
         "Supervision Administration fined"))),
    ("zh", "relation", "陆景明担任哪些公司的董事长或董事？",
     ((ZH, "陆景明 董事长"), (ZH, "2009年起任公司董事长"), (EN, "Lu Jingming joined the "
         "board"), (EN, "Lu Jingming 59"))),
    ("zh", "relation", "青屿精密有哪些子公司？", ((ZH, "青屿精密（苏州）有限公司 子公司"),)),
    ("zh", "relation", "拉克斯珀仪器公司持有青屿精密多少股份？", ((ZH, "拉克斯珀仪器公司 1,346.40"),)),
)  # fmt: skip

HAILAN, QINGYU = "Ningbo Hailan Sensing Technology Co., Ltd.", "Qingyu Precision Instruments Co., Ltd."
QINGYU_ZH, HAILAN_ZH = "青屿精密仪器股份有限公司", "宁波海岚传感技术有限公司"
LARKSPUR = "Larkspur Instruments, Inc."

FACTS: tuple[tuple[str, str, str, str, Marks], ...] = (
    ("acquires", LARKSPUR, HAILAN, "51%", ((EN, "we acquired 51% of Ningbo Hailan"),)),
    ("acquires", "拉克斯珀仪器公司", HAILAN_ZH, "51%", ((ZH, "公司将持有的宁波海岚传感技术有限公司51%股权转让"),)),
    ("subsidiary_of", "Brightwater Metering, Inc.", LARKSPUR, "100%", ((EN, "Brightwater Metering, Inc. Oregon"),)),
    ("subsidiary_of", HAILAN, LARKSPUR, "51%", ((EN, "Ningbo Hailan Sensing Technology Co., Ltd. People"),)),
    ("penalised_by", "Brightwater Metering, Inc.", "U.S. Environmental Protection Agency", "$1.25 million",
     ((EN, "Environmental Protection Agency fined"),)),
    ("penalised_by", QINGYU, "Dongyu Municipal Metrology Supervision Administration", "RMB 320,000",
     ((EN, "Dongyu Municipal Metrology Supervision Administration fined"),)),
    ("penalised_by", QINGYU_ZH, "东屿市计量监督管理局", "人民币32万元", ((ZH, "公司收到东屿市计量监督管理局出具的"),)),
    ("officer_of", "Margaret Osei", LARKSPUR, "", ((EN, "Margaret Osei 57"),)),
    ("officer_of", "Daniel Whitcombe", LARKSPUR, "", ((EN, "Daniel Whitcombe 49"), (LETTER, "Chief Financial Officer, "
        "Larkspur"))),
    ("officer_of", "Ingrid Solvang", LARKSPUR, "", ((EN, "chief technology officer Ingrid "
        "Solvang"), (EN, "Ingrid Solvang 52"))),
    ("officer_of", "陆景明", QINGYU_ZH, "", ((ZH, "陆景明 董事长"),)),
    ("officer_of", "沈维", QINGYU_ZH, "", ((ZH, "公司首席技术官沈维"),)),
    ("owns", "东屿明远投资有限公司", QINGYU_ZH, "34.20%", ((ZH, "东屿明远投资有限公司 9,028.80"),)),
    ("owns", "拉克斯珀仪器公司", QINGYU_ZH, "5.10%", ((ZH, "拉克斯珀仪器公司 1,346.40"),)),
    ("litigates_against", LARKSPUR, "Castellan Sensors Corp.", "", ((EN, "we sued Castellan Sensors Corp."),)),
    ("litigates_against", QINGYU_ZH, "北岭管道工程有限公司", "1,268万元", ((ZH, "公司就货款纠纷起诉"
        "北岭管道工程有限公司"),)),
    ("guarantees", LARKSPUR, HAILAN, "RMB 60 million", ((EN, "we guaranteed a loan of RMB 60 million"),)),
    ("supplies", QINGYU, LARKSPUR, "", ((EN, "supplies most of the valve bodies"),)),
    ("party_to", QINGYU_ZH, contract_zh.TITLE, "", ((CONTRACT, "甲方（转让方）：青屿精密仪器股份有限公司"),)),
    ("cites", QINGYU_ZH, "《流量计量器具监督管理办法》", "", ((ZH, "违反《流量计量器具监督管理办法》第十九条"),)),
)  # fmt: skip


def questions(documents: Sequence[TruthDocument]) -> tuple[Question, ...]:
    """Every question with its places.

    Raises:
        ValueError: the words that mark an answer stand on no page, or on more than one.
    """
    return tuple(Question(text, lang, intent, _places(documents, marks)) for lang, intent, text, marks in QUESTIONS)


def facts(documents: Sequence[TruthDocument]) -> tuple[Fact, ...]:
    """Every stated relation with its places; raises as `questions` does."""
    return tuple(Fact(kind, head, tail, _places(documents, marks), value) for kind, head, tail, value, marks in FACTS)


def _places(documents: Sequence[TruthDocument], marks: Marks) -> tuple[Place, ...]:
    by_file = {d.file: d for d in documents}
    out = []
    for file, words in marks:
        pages = by_file[file].find(words)
        if len(pages) != 1:
            raise ValueError(f"{file}: {words!r} stands on pages {pages}, expected one")
        out.append(Place(file, pages[0]))
    return tuple(dict.fromkeys(out))
