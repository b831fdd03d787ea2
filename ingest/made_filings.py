"""Made-up filings as PDF files: small ones by the thousand, long ones of thousands of pages, no two alike."""

from __future__ import annotations

import random
from pathlib import Path

import pymupdf

_WORDS = (
    "revenue", "income", "margin", "segment", "customers", "demand", "capacity", "pricing", "supply",
    "contract", "facility", "credit", "interest", "tax", "inventory", "shipments", "order", "backlog",
    "region", "market", "product", "service", "software", "cost", "expense", "research", "development",
    "employees", "lease", "pension", "liability", "asset", "goodwill", "impairment", "dividend", "share",
    "capital", "debt", "maturity", "covenant", "currency", "hedge", "exposure", "litigation", "regulator",
    "compliance", "audit", "committee", "board", "director", "policy", "risk", "climate",
)  # fmt: skip
_NAMES = ("Larkspur", "Borealis", "Quillfeather", "Harrowgate", "Tansley", "Meridian", "Fennimore", "Pinecrest")
_TRADES = ("Instruments", "Grid Services", "Foods", "Shipping", "Biologics", "Mining", "Textiles", "Software")
_FORMS = ("Inc.", "Limited", "Corp.")

PARAGRAPH = 80
"""Words of a paragraph; a page takes six of them."""


def write_filings(folder: Path, count: int, *, pages: int = 1, paragraphs: int = 1, first: int = 0) -> list[Path]:
    """Write `count` files of so many pages, 500 to a folder; `first` is the number of the first one."""
    out = []
    for i in range(first, first + count):
        path = folder / f"{i // 500:03d}" / f"filing_{i:05d}.pdf"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_filing(path, i, pages=pages, paragraphs=paragraphs)
        out.append(path)
    return out


def write_filing(path: Path, seed: int, *, pages: int = 1, paragraphs: int = 1) -> None:
    """Write one file; what it says follows from `seed`."""
    rng = random.Random(seed)
    with pymupdf.open() as doc:
        for number in range(pages):
            page = doc.new_page()
            title = (
                f"Notice {seed} of {_company(rng)}" if number == 0 else f"{number // 40 + 1}.{number % 40 + 1} Matters"
            )
            page.insert_text((72, 80), title, fontsize=16, fontname="hebo")
            for i in range(paragraphs):
                top = 100 + 115 * i
                page.insert_textbox((72, top, 523, top + 110), _paragraph(rng), fontsize=10)
        doc.save(path, deflate=True, no_new_id=True)


def _company(rng: random.Random) -> str:
    return f"{rng.choice(_NAMES)} {rng.choice(_TRADES)} {rng.choice(_FORMS)}"


def _paragraph(rng: random.Random) -> str:
    out: list[str] = []
    while sum(len(sentence.split()) for sentence in out) < PARAGRAPH:
        if rng.random() < 0.3:
            price, year = rng.randint(2, 900), rng.randint(1999, 2024)
            out.append(f"{_company(rng)} acquired {_company(rng)} for ${price} million in {year}.")
        else:
            out.append(" ".join(rng.choices(_WORDS, k=rng.randint(9, 16))).capitalize() + ".")
    return " ".join(out)
