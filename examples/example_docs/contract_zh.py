"""股权转让协议：甲方青屿精密，乙方拉克斯珀仪器公司，标的宁波海岚 51% 股权。"""

from __future__ import annotations

from h3cold.ingest.generated.lettering import Style
from h3cold.ingest.generated.tabular import set_table
from h3cold.ingest.generated.truth import TruthDocument
from h3cold.ingest.generated.typeset import Book, Sheet

FILE = "海岚股权转让协议.pdf"
TITLE = "宁波海岚传感技术有限公司股权转让协议"

BOOK = Book(
    title=Style("cjk", 20, 32, heavy=True),
    headings=(Style("cjk", 12, 20, heavy=True),),
    body=Style("cjk", 11, 19),
    small=Style("cjk", 9, 13),
    table=Style("cjk", 10, 15),
    table_head=Style("cjk", 10, 15, heavy=True),
    running=Style("cjk", 9, 12),
    indent=22.0,
)

CLAUSES = (
    ("第一条 标的股权", (
        "1.1 甲方合法持有宁波海岚传感技术有限公司（以下简称“目标公司”）100%的股权。"
            "目标公司注册资本为人民币8,000万元，已全部实缴。",
        "1.2 甲方同意将其持有的目标公司51%的股权（以下简称“标的股权”）转让给乙方，乙方同意受让。转让完成后，"
            "甲方持有目标公司49%的股权。",
    )),
    ("第二条 转让价款", (
        "2.1 标的股权的转让价款为人民币186,400,000元（大写：壹亿捌仟陆佰肆拾万元整）。"
            "价款依据东屿信衡资产评估有限公司2023年3月10日"
        "出具的评估报告，由双方协商确定。",
        "2.2 乙方应按下表所列期限以电汇方式向甲方支付转让价款，汇率以付款日中国外汇交易中心公布的中间价为准。",
    )),
    ("第三条 交割", (
        "3.1 交割的先决条件为：（一）双方有权机构批准本协议；（二）主管市场监督管理部门受理股权变更登记；"
            "（三）目标公司未发生重大不利变化。",
        "3.2 交割日为2023年5月16日。如先决条件未能在2023年8月31日前满足，任何一方有权书面通知对方解除本协议。",
    )),
    ("第四条 公司治理", (
        "4.1 交割后目标公司董事会由五名董事组成，其中乙方委派三名，甲方委派两名，董事长由乙方委派的董事担任。",
        "4.2 修改章程、增减注册资本、对外担保超过人民币1,000万元的事项，须经全体董事三分之二以上同意。",
    )),
    ("第五条 陈述与保证", (
        "5.1 甲方保证标的股权上不存在质押、冻结或其他权利负担，目标公司的财务报表真实、完整。",
        "5.2 甲方保证目标公司生产的流量计量器具符合《流量计量器具监督管理办法》的要求，"
            "交割前发生的行政处罚由甲方承担。",
        "5.3 乙方保证其支付转让价款的资金来源合法。",
    )),
    ("第六条 竞业限制", (
        "6.1 自交割日起五年内，甲方不得在中国境内从事与目标公司相同的压电换能器业务，"
            "但持有上市公司不超过5%股份的投资除外。",
    )),
    ("第七条 保密", (
        "7.1 双方对因签订和履行本协议而知悉的对方商业秘密负有保密义务，保密期限为本协议终止后三年。",
    )),
    ("第八条 违约责任", (
        "8.1 乙方逾期付款的，每逾期一日，应按逾期金额的万分之三向甲方支付违约金；逾期超过六十日的，"
            "甲方有权解除本协议。",
        "8.2 甲方违反第五条的保证给乙方或目标公司造成损失的，应赔偿全部直接损失，赔偿总额不超过转让价款的30%。",
    )),
    ("第九条 适用法律与争议解决", (
        "9.1 本协议的订立、效力、解释和履行适用中华人民共和国法律。",
        "9.2 因本协议产生的争议，双方应友好协商；协商不成的，"
            "提交东屿仲裁委员会按照其届时有效的仲裁规则在东屿市仲裁，仲裁语言为中文和英文。",
    )),
    ("第十条 其他", (
        "10.1 本协议自双方法定代表人或授权代表签字并加盖公章之日起生效。",
        "10.2 本协议以中文和英文写成，一式六份，两种文本不一致的，以中文文本为准。",
    )),
)  # fmt: skip


def build() -> tuple[bytes, TruthDocument]:
    """The file's bytes and its truth."""

    def running(number: int) -> tuple[str, str]:
        return ("合同编号：QY-LK-2023-0418", f"第 {number} 页")

    sheet = Sheet(BOOK, running=running)
    sheet.y += 20
    sheet.title(TITLE)
    sheet.y += 16
    for line in (
        "甲方（转让方）：青屿精密仪器股份有限公司",
        "法定代表人：陆景明　　住所：东屿市高新区星河路88号",
        "乙方（受让方）：拉克斯珀仪器公司（Larkspur Instruments, Inc.）",
        "授权代表：玛格丽特·奥塞（Margaret Osei）　　住所：美国明尼苏达州德卢斯市港口街1180号",
        "签订日期：2023年4月18日　　签订地点：中国东屿市",
    ):
        sheet.text(line, indent=0)
    sheet.text("鉴于甲方拟转让、乙方拟受让宁波海岚传感技术有限公司的部分股权，双方经友好协商，达成如下协议：")
    for name, clauses in CLAUSES:
        sheet.heading(name, 1)
        for clause in clauses:
            sheet.text(clause)
        if name.startswith("第二条"):
            _payments(sheet)
    _signatures(sheet)
    data, pages = sheet.finish(title=TITLE)
    company = "青屿精密仪器股份有限公司"
    return data, TruthDocument(FILE, "zh", TITLE, company, "", "contract", pages)


def _payments(sheet: Sheet) -> None:
    set_table(
        sheet,
        [
            ["期次", "付款期限", "比例", "金额（人民币元）"],
            ["第一期", "本协议生效后10个工作日内", "30%", "55,920,000"],
            ["第二期", "交割日后10个工作日内", "60%", "111,840,000"],
            ["第三期", "交割日后满12个月之日", "10%", "18,640,000"],
            ["合计", "", "100%", "186,400,000"],
        ],
        widths=(1, 3, 1, 2),
        aligns="llrr",
    )


def _signatures(sheet: Sheet) -> None:
    sheet.need(110)
    sheet.space(24)
    sheet.text("（以下无正文，为签署页）", indent=0)
    sheet.columns(2, gap=30, height=90)
    sheet.text("甲方：青屿精密仪器股份有限公司（盖章）", indent=0)
    sheet.text("法定代表人：陆景明", indent=0)
    sheet.advance()
    sheet.text("乙方：拉克斯珀仪器公司（盖章）", indent=0)
    sheet.text("授权代表：Margaret Osei", indent=0)
    sheet.one_column()
