"""青屿精密仪器股份有限公司 2023 年年度报告：封面、目录与正文各节。"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from example_docs.annual_zh_tables import finances, ownership, people
from h3cold.ingest.generated.drawings import bar_chart
from h3cold.ingest.generated.lettering import Style, width
from h3cold.ingest.generated.tabular import set_table
from h3cold.ingest.generated.truth import TruthDocument, TruthRegion
from h3cold.ingest.generated.typeset import Book, Sheet

FILE = "青屿精密2023年年度报告.pdf"
COMPANY = "青屿精密仪器股份有限公司"
TITLE = "青屿精密仪器股份有限公司2023年年度报告"
RED = (0.55, 0.1, 0.1)

BOOK = Book(
    title=Style("cjk", 24, 36, heavy=True),
    headings=(Style("cjk", 16, 24, heavy=True, color=RED), Style("cjk", 13, 20, heavy=True), Style("cjk", 11, 18)),
    body=Style("cjk", 10.5, 17),
    small=Style("cjk", 8.5, 12),
    table=Style("cjk", 9, 13),
    table_head=Style("cjk", 9, 13, heavy=True),
    running=Style("cjk", 8.5, 11, color=(0.35, 0.35, 0.35)),
    indent=21.0,
)


def build() -> tuple[bytes, TruthDocument]:
    """The file's bytes and its truth."""

    def running(number: int) -> tuple[str, str]:
        return ("", "") if number == 1 else (f"{COMPANY} 2023年年度报告", str(number))

    # Set twice: the contents need the pages that the sections come to stand on.
    sections = [entry for entry in _set_all(running, []).outline if entry[0] == 1 and entry[1].startswith("第")]
    data, pages = _set_all(running, sections).finish(title=TITLE, author=COMPANY)
    return data, TruthDocument(FILE, "zh", TITLE, COMPANY, "FY2023", "annual report", pages)


def _set_all(running: Callable[[int], tuple[str, str]], sections: Sequence[tuple[int, str, int]]) -> Sheet:
    sheet = Sheet(BOOK, running=running)
    _cover(sheet)
    _contents(sheet, sections)
    sheet.open_page()
    _profile(sheet)
    sheet.open_page()
    _discussion(sheet)
    people(sheet)
    _matters(sheet)
    sheet.open_page()
    ownership(sheet)
    sheet.open_page()
    finances(sheet)
    return sheet


def _cover(sheet: Sheet) -> None:
    plain = Style("cjk", 12, 20)
    sheet.y = 110
    sheet.text("公司代码：689917　　　　公司简称：青屿精密", style=plain, align="center")
    sheet.y = 300
    sheet.title(COMPANY)
    sheet.title("2023年年度报告")
    sheet.y = 640
    sheet.text("二〇二四年四月", style=plain, align="center")


def _contents(sheet: Sheet, sections: Sequence[tuple[int, str, int]]) -> None:
    sheet.open_page()
    sheet.heading("目录", 1)
    style = sheet.book.body
    top, rows = sheet.y, []
    for _, name, page in sections:
        number = str(page)
        dots = "." * int((sheet.room - width(name, style) - width(number, style) - 14) / width(".", style))
        sheet.pen.draw(sheet.x0, sheet.y + 15, f"{name} {dots}", style)
        sheet.pen.draw(sheet.x1 - width(number, style), sheet.y + 15, number, style)
        rows.append(f"{name} {dots} {number}")
        sheet.y += 22
    sheet.add(TruthRegion("list", "\n".join(rows), (sheet.x0, top, sheet.x1, sheet.y)))
    sheet.y += 14
    sheet.heading("重要提示", 2)
    sheet.text(
        "本公司董事会、监事会及董事、监事、高级管理人员保证年度报告内容的真实、准确、完整，不存在虚假记载、误导性陈述或重大遗漏，"
        "并承担个别和连带的法律责任。公司负责人陆景明、主管会计工作负责人韩若溪声明：保证年度报告中财务报告的真实、准确、完整。"
    )
    sheet.text(
        "经董事会审议的报告期利润分配预案为：以2023年12月31日总股本26,400万股为基数，向全体股东每10股派发现金红利2.50元（含税），"
        "共计派发6,600万元，不送红股，不以公积金转增股本。"
    )


def _profile(sheet: Sheet) -> None:
    sheet.heading("第一节 公司简介和主要财务指标", 1)
    sheet.heading("一、公司信息", 2)
    set_table(
        sheet,
        [
            ["项目", "内容"],
            ["公司的中文名称", COMPANY],
            ["公司的外文名称", "Qingyu Precision Instruments Co., Ltd."],
            ["公司的法定代表人", "陆景明"],
            ["公司注册地址", "东屿市高新区星河路88号"],
            ["董事会秘书", "周砚秋"],
            ["公司网址", "www.qingyu-precision.example"],
        ],
        widths=(1.4, 3),
        aligns="ll",
    )
    sheet.heading("二、近三年主要会计数据和财务指标", 2)
    sheet.text("单位：万元　币种：人民币", kind="caption", align="right")
    set_table(
        sheet,
        [
            ["主要会计数据", "2023年", "2022年", "本期比上年同期增减(%)", "2021年"],
            ["营业收入", "186,420.35", "171,905.62", "8.44", "158,233.07"],
            ["营业成本", "121,873.10", "114,230.48", "6.69", "106,871.20"],
            ["归属于上市公司股东的净利润", "21,645.88", "19,302.71", "12.14", "16,980.45"],
            ["经营活动产生的现金流量净额", "24,310.66", "20,118.93", "20.83", "17,455.02"],
            ["研发投入", "13,049.42", "11,517.68", "13.30", "9,968.68"],
        ],
        widths=(2.5, 1.3, 1.3, 1.6, 1.3),
        aligns="lrrrr",
    )
    set_table(
        sheet,
        [
            ["主要财务指标", "2023年", "2022年", "2021年"],
            ["应收账款周转率（次）", "4.55", "4.21", "3.98"],
            ["存货周转率（次）", "3.12", "2.98", "2.87"],
            ["资产负债率（%）", "38.6", "41.2", "43.5"],
            ["加权平均净资产收益率（%）", "15.3", "14.8", "14.1"],
            ["基本每股收益（元/股）", "0.82", "0.73", "0.64"],
        ],
        widths=(2.5, 1, 1, 1),
        aligns="lrrr",
        look="lines",
    )
    sheet.text(
        "应收账款周转率为营业收入除以应收账款平均余额。2023年应收账款周转率提高0.34次，主要由于公司缩短了水务客户的信用期。"
    )


def _discussion(sheet: Sheet) -> None:
    sheet.heading("第二节 管理层讨论与分析", 1)
    sheet.heading("一、经营情况讨论与分析", 2)
    sheet.text(
        "报告期内，公司实现营业收入186,420.35万元，同比增长8.44%；归属于上市公司股东的净利润21,645.88万元，同比增长12.14%。"
        "超声流量计业务保持较快增长，阀门部件业务受化工行业投资放缓影响略有下降。公司产品销往三十一个国家和地区，境外收入占比为27.3%。"
    )
    sheet.text(
        "公司的主要客户为自来水公司、石化企业和仪表制造商。前五名客户销售额占年度销售总额的23.6%，其中第一大客户"
        "拉克斯珀仪器公司（Larkspur Instruments, Inc.）占9.8%。公司依据双方签订的框架协议向其供应阀体，"
        "协议有效期至2027年。"
    )
    bar_chart(
        sheet,
        groups=("2019年", "2020年", "2021年", "2022年", "2023年"),
        series=(("营业收入", (12.9, 14.1, 15.8, 17.2, 18.6)), ("净利润", (1.2, 1.4, 1.7, 1.9, 2.2))),
        unit="单位：亿元",
        caption="图1 2019年至2023年营业收入和净利润",
        height=150,
    )
    sheet.heading("二、核心竞争力分析", 2)
    sheet.heading("（一）技术优势", 3)
    sheet.text(
        "公司首席技术官沈维与拉克斯珀仪器公司的英格丽德·索尔旺（Ingrid "
        "Solvang）合作提出了超声流量计的零点漂移补偿方法，"
        "使仪表在三年内无需重新校准。报告期末公司拥有发明专利142项，其中2023年新增授权26项。"
    )
    sheet.heading("（二）质量优势", 3)
    sheet.text("公司建有国家认可的流量校准实验室，口径覆盖DN15至DN1200，扩展不确定度为0.08%（k=2）。")
    sheet.heading("三、主要控股参股公司分析", 2)
    sheet.text(
        "2023年5月16日，公司将持有的宁波海岚传感技术有限公司51%股权转让给拉克斯珀仪器公司，转让价款为人民币18,640万元。"
        "转让完成后，公司持有该公司49%股权，不再将其纳入合并报表范围，确认投资收益3,215.40万元。"
    )
    set_table(
        sheet,
        [
            ["公司名称", "公司类型", "主要业务", "持股比例", "净利润（万元）"],
            ["青屿精密（苏州）有限公司", "子公司", "流量计制造", "100%", "4,120.35"],
            ["东屿青屿软件有限公司", "子公司", "嵌入式软件", "100%", "2,036.71"],
            ["青屿水务科技有限公司", "子公司", "水务系统集成", "70%", "986.44"],
            ["宁波海岚传感技术有限公司", "参股公司", "压电换能器", "49%", "1,857.20"],
        ],
        widths=(3, 1.2, 1.8, 1.1, 1.7),
        aligns="lllrr",
        caption="表1 主要控股参股公司",
    )
    sheet.heading("四、可能面对的风险", 2)
    sheet.items(
        [
            "原材料价格波动风险：铜和不锈钢占营业成本的34%，价格上涨将压缩毛利率。",
            "汇率风险：境外收入主要以美元结算，人民币升值将影响以人民币计价的收入。",
            "监管风险：流量计量器具属于强制检定产品，法规变化可能延长新产品的上市时间。",
            "客户集中风险：前五名客户占比较高，主要客户订单减少将影响公司业绩。",
        ],
        marks=("1.", "2.", "3.", "4."),
    )


def _matters(sheet: Sheet) -> None:
    sheet.heading("第四节 重要事项", 1)
    sheet.heading("一、行政处罚", 2)
    sheet.text(
        "2023年9月12日，公司收到东屿市计量监督管理局出具的《行政处罚决定书》（东计监罚〔2023〕17号）。因公司在2022年销售46台"
        "未经检定的QF-300型超声流量计，违反《流量计量器具监督管理办法》第十九条的规定，东屿市计量监督管理局依据该办法第二十七条"
        "对公司处以罚款人民币32万元。公司已于2023年9月25日缴清罚款，并召回全部46台流量计。"
    )
    sheet.heading("二、重大诉讼、仲裁事项", 2)
    sheet.text(
        "2023年11月，公司就货款纠纷起诉北岭管道工程有限公司，涉案金额1,268万元。截至报告期末，东屿市中级人民法院尚未开庭审理。"
    )
    sheet.heading("三、重大合同及担保", 2)
    sheet.text(
        "2023年4月18日，公司与拉克斯珀仪器公司签订《股权转让协议》。2023年7月，公司与拉克斯珀仪器公司分别为宁波海岚传感技术有限公司"
        "向东屿银行的借款提供担保，其中公司担保金额为人民币4,000万元，担保期限三年。报告期末，公司对外担保总额占净资产的2.8%。"
    )
    sheet.heading("四、聘任会计师事务所", 2)
    sheet.text(
        "公司续聘东屿正言会计师事务所（特殊普通合伙）为2023年度审计机构，审计费用为人民币138万元，其中内部控制审计费用28万元。"
    )
