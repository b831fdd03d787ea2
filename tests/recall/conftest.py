"""A small bilingual store with known contents: three near-identical filings, a Chinese report, a contract, a graph."""

from pathlib import Path
from types import SimpleNamespace

import blake3
import pymupdf
import pytest

from h3cold.ingest.embed import open_embedder
from h3cold.ingest.store.make import make_store
from h3cold.recall import ColdTier
from h3cold.schemas.block import Block, block_id
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.geometry import PageBox
from h3cold.schemas.graph import Entity, Mention, Relation
from h3cold.schemas.page import Cell, Table

BOX = (60.0, 100.0, 500.0, 300.0)


def grid(rows, *, box=BOX):
    """A table whose first row is its header."""
    height = (box[3] - box[1]) / len(rows)
    width = (box[2] - box[0]) / len(rows[0])
    return Table(len(rows), len(rows[0]), tuple(
        Cell(r, c, text, (box[0] + c * width, box[1] + r * height, box[0] + (c + 1) * width, box[1] + (r + 1) * height),
             header=r == 0)
        for r, row in enumerate(rows) for c, text in enumerate(row)
    ))  # fmt: skip


def table_text(rows):
    return "\n".join(" | ".join(row) for row in rows)


def acme(year):
    return [
        (1, ("Item 1. Business",), "Acme Widgets makes widgets and gears for the rail industry in three plants. "
            f"This annual report is for the fiscal year ended December 31, {year}.", None, ""),
        (2, ("Item 1A. Risk Factors",), "Our business depends on steel prices. A rise in the price of steel, or an "
            "interruption of supply, could harm our margins. We do not hedge commodity risk.", None, ""),
        (3, ("Item 7. MD&A",), f"Net sales grew in {year} because more locomotives were ordered. Gross margin fell as "
            "steel became dearer and freight rates rose.", None, ""),
        (4, ("Item 8. Financial Statements", "Cash Flows"), None, [
            ["(in thousands)", str(year), str(year - 1)],
            ["Net cash provided by operating activities", f"{year % 100}1,310", f"{year % 100 - 1}1,310"],
            ["Purchases of property, plant and equipment", f"({year % 100},420)", f"({year % 100 - 1},420)"],
            ["Dividends paid", f"({year % 100}10)", f"({year % 100 - 1}10)"]],
            "Consolidated Statements of Cash Flows"),
        (5, ("Item 8. Financial Statements", "Note 3. Leases"), None, [
            ["Year", "Minimum lease payments"], [str(year + 1), "1,204"], [str(year + 2), "1,180"], ["Total", "2,384"]],
            "Future minimum lease payments"),
    ]  # fmt: skip


def filing(year):
    return DocumentInfo("Acme Widgets 10-K", "en", "Acme Widgets, Inc.", f"FY{year}", "", "10-K")


HUAXIN = [
    (1, ("第一节 公司简介",),
     "华信科技股份有限公司主要从事轨道交通信号系统的研发、生产和销售，总部位于北京市海淀区。", None, ""),
    (2, ("第三节 管理层讨论与分析", "主要财务指标"), None, [
        ["指标", "2023年", "2022年"], ["应收账款周转率（次）", "4.21", "3.87"], ["存货周转率（次）", "5.02", "5.60"],
        ["流动比率", "1.84", "1.79"]], "表3-2 主要营运能力指标"),
    (3, ("第三节 管理层讨论与分析", "分地区收入"), None, [
        ["地区", "2021年收入（万元）"], ["华北", "12,300"], ["华东", "15,800"], ["华南", "9,100"]],
        "表3-3 分地区收入情况"),
    (4, ("第四节 风险因素",),
     "公司面临原材料价格上涨、核心技术人员流失以及海外市场政策变化等风险。", None, ""),
]  # fmt: skip

CONTRACT = [
    (1, ("第一条 合同标的",),
     "甲方向乙方采购信号控制设备一百二十套，乙方应于合同签订后六十日内交付。", None, ""),
    (1, ("第五条 违约责任",),
     "乙方逾期交货的，每逾期一日应向甲方支付合同总价千分之五的违约金；"
     "逾期超过三十日的，甲方有权解除合同。", None, ""),
    (2, ("第六条 保密",),
     "双方对在履行本合同过程中知悉的对方商业秘密负有保密义务，保密期限为合同终止后三年。", None, ""),
]  # fmt: skip

LONG = [
    (page, ("Segment data",), None, [["Plant", "Output"], *([f"Plant {i}", str(1000 + i)] for i in plants)], "")
    for page, plants in ((2, range(1, 6)), (3, range(6, 9)))
]

CONTENT = {
    **{f"acme/acme_{y}.pdf": (filing(y), acme(y)) for y in (2021, 2022, 2023)},
    "huaxin.pdf": (
        DocumentInfo("2023年年度报告", "zh", "华信科技股份有限公司", "FY2023", "", "annual report"), HUAXIN),
    "合同.pdf": (DocumentInfo("设备采购合同", "zh", "", "", "2022-05-01", "contract"), CONTRACT),
    "plants.pdf": (DocumentInfo("Plant output", "en"), LONG),
}  # fmt: skip


def write_pdf(path, pages):
    """A PDF whose pages say what their blocks say, in the blocks' box."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with pymupdf.open() as doc:
        for number in range(1, max(p for p, *_ in pages) + 1):
            page = doc.new_page()
            for _, _, text, rows, _ in (p for p in pages if p[0] == number):
                font = "china-s" if any(ord(c) > 0x3000 for c in text or table_text(rows)) else "helv"
                page.insert_textbox(BOX, text or table_text(rows), fontsize=10, fontname=font)
        doc.save(path, no_new_id=True)


def blocks_of(document, pages, *, language):
    out = []
    for position, (page, headings, text, rows, caption) in enumerate(pages):
        text = text or table_text(rows)
        out.append(Block(
            block_id(document, position), document, position, "table" if rows else "passage", text, headings,
            (PageBox(page, BOX, 0, len(text)),), language=language, caption=caption, table=grid(rows) if rows else None,
            group=f"{document[:8]}-t0" if pages is LONG else "", part=position if pages is LONG else 0,
            parts=2 if pages is LONG else 1,
        ))  # fmt: skip
    return out


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The store, the folder of its PDFs, and document ids by source."""
    base = tmp_path_factory.mktemp("recall")
    root, ids, blocks, info = base / "pdfs", {}, [], {}
    for source, (about, pages) in CONTENT.items():
        write_pdf(root / source, pages)
        ids[source] = blake3.blake3((root / source).read_bytes()).hexdigest(16)
        blocks += blocks_of(ids[source], pages, language=about.language)
        info[ids[source]] = about
    home, contract = ids["acme/acme_2022.pdf"], ids["合同.pdf"]
    entities = [
        Entity("e1", "ORG", "Acme Widgets, Inc.", ("Acme Widgets", "Acme", "艾克米公司"), (home,), 3),
        Entity("e2", "ORG", "Beta Gears Ltd", ("Beta Gears",), (home,), 1),
        Entity("e3", "ORG", "华信科技股份有限公司", ("华信科技", "华信"), (contract,), 2),
        Entity("e4", "ORG", "北京东方铁路有限公司", ("东方铁路",), (contract,), 1),
    ]
    relations = [
        Relation("r1", "owns", "e1", "e2", home, block_id(home, 2), 3, 0, 9, 0.9, value="51%", period="2022"),
        Relation("r2", "party_to", "e3", "e4", contract, block_id(contract, 0), 1, 0, 10, 0.8),
    ]
    mentions = [Mention("e1", home, block_id(home, 0), "ORG", "Acme Widgets", 0, 12, 1, BOX)]
    store = make_store(
        base / "h3_cold", blocks, embedder=open_embedder(), info=info, sources={i: s for s, i in ids.items()},
        root=str(root), entities=entities, relations=relations, mentions=mentions,
    )  # fmt: skip
    return SimpleNamespace(store=Path(store.path), root=root, ids=ids)


@pytest.fixture(scope="session")
def tier(made):
    with ColdTier.open(made.store) as opened:
        yield opened
