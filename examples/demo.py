"""The whole way in one go: make example PDFs, index them, recall by each intent in both languages, promote the hits.

`python examples/demo.py [OUT]` writes to OUT (default: demo_out): the PDFs, the store, and a PNG of a hit's page.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pymupdf
from make import make_examples

from h3cold.h3bridge import Bridge, H3Engine
from h3cold.ingest.cli_build import main as index_builder
from h3cold.ingest.store.reader import ColdStore
from h3cold.recall import ColdTier
from h3cold.schemas.errors import StoreError, StoreVersionError
from h3cold.schemas.hit import Hit

QUERIES = (
    ("text", "Why did gross margin improve in 2023?"),
    ("text", "乙方逾期付款要承担什么违约责任？"),
    ("structure", "Compare receivables turnover in 2022 and 2023"),
    ("structure", "对比2022与2023年应收账款周转率"),
    ("relation", "Which agency fined Brightwater Metering?"),
    ("relation", "谁控股青屿精密仪器股份有限公司？"),
)
SNIPPET = 160


def show(query: str, hits: list[Hit]) -> None:
    """Print what a query found."""
    print(f"\n? {query}")
    for hit in hits:
        x0, y0, x1, y1 = hit.bbox
        print(
            f"  {hit.rank}. [{hit.intent}] {hit.source}, page {hit.page}, box ({x0:.0f}, {y0:.0f}, {x1:.0f}, {y1:.0f})"
        )
        text = " ".join(hit.text.split())
        print(f"     {text[:SNIPPET]}{' …' if len(text) > SNIPPET else ''}")
        print(f"     because: {hit.reason}")


def outline(pdf: Path, hit: Hit, out: Path) -> None:
    """Draw the hit's region on its page."""
    with pymupdf.open(pdf) as doc:
        page = doc[hit.page - 1]
        page.draw_rect(pymupdf.Rect(hit.bbox) * page.derotation_matrix, color=(0.85, 0.1, 0.1), width=2)
        page.get_pixmap(dpi=100).save(out)


def _anew(store: Path) -> list[str]:
    """What makes a store anew that an older version of the program left here."""
    try:
        ColdStore.open(store)
    except StoreVersionError:
        return ["--rebuild"]
    except StoreError:
        pass  # none yet
    return []


def main() -> int:
    """Run the demo; 0 when every query was answered."""
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "demo_out")
    pdfs, store = out / "pdfs", out / "h3_cold"
    print(f"1. Example PDFs in {pdfs}")
    truth = make_examples(pdfs)
    print(
        f"   {len(truth.documents)} files; one is encrypted and one cut off on purpose, to show how failures are told"
    )

    arguments = ["--path", str(pdfs), "--store", str(store), *_anew(store)]
    print(f"\n2. h3-index-builder {' '.join(arguments)}")
    status = index_builder(arguments)
    if status not in (0, 3):
        return status

    print("\n3. Recall: the same call for every intent, `auto` chooses")
    answered = []
    with ColdTier.open(store) as tier:
        for intent, query in QUERIES:
            hits = tier.recall(query, top=2)
            show(query, hits)
            answered.append(bool(hits) and hits[0].intent == intent)
            if query == QUERIES[3][1] and hits:
                outline(pdfs / hits[0].source, hits[0], out / "hit.png")
        print(f"\n   The table found for {QUERIES[3][1]!r}, outlined on its page: {out / 'hit.png'}")

        print("\n4. Promotion: COLD -> HBF -> HBM, within budgets of 40 kB and 16 kB to show both tiers fill")
        engine = H3Engine(hbf_size_gb=40_960e-9, hbm_size_gb=16_384e-9, cold_storage_path=store)
        bridge = Bridge(tier, engine)
        for _, query in QUERIES:
            for done in bridge.promote(tier.recall(query, top=2)):
                print(f"   {done.block[:8]}…{done.block[-9:]} -> {done.tier.value.upper():4}  {done.reason}")
    for resident in engine.residency():
        print(f"   {resident.tier.value.upper()} ({resident.medium}): {len(resident.blocks)} blocks, "
              f"{resident.used:,} of {resident.budget:,} bytes")  # fmt: skip
    print(f"\nMore: h3-recall 'your question' --store {store}; h3-monitor --store {store}; h3-parse FILE --format html")
    return 0 if all(answered) else 1


if __name__ == "__main__":
    sys.exit(main())
