"""`h3-benchmark kg`: relation questions in words that no rule knows, over the bilingual set, with the edges' sentences
and without, beside the graph's own sets and what the graph costs.

The set's documents lie in a store of their own, made on the spot; its questions are `kg/trials/paraphrased.txt`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import numpy as np

from h3cold.ingest.benchmark_graph import filings
from h3cold.ingest.embed import Embedder, open_embedder
from h3cold.ingest.store.make import make_store
from h3cold.ingest.store.reader import ColdStore
from h3cold.kg import benchmark as kg
from h3cold.kg.bilingual import Question, Trial, load, names_of, read
from h3cold.kg.linking import link
from h3cold.recall.relation import Meaning, answers, load_graph
from h3cold.recall.statements import meaning_by, open_statements
from h3cold.recall.understand import understand
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.errors import UsageError

SETS = (*kg.SETS, "paraphrased", "filings")
FILE = "paraphrased.txt"


def run(data: Path, sets: Sequence[str] | None = None) -> dict[str, dict[str, float]]:
    """Figures of each set of the knowledge graph, of `kg.benchmark`'s and of those that need more than the graph.

    Raises:
        UsageError: a set is not known, or its files are not there.
    """
    unknown = set(sets or ()) - set(SETS)
    if unknown:
        raise UsageError(f"no graph benchmark is called {min(unknown)!r}; the known ones: {', '.join(SETS)}")
    own = {"paraphrased": lambda _: paraphrased(), "filings": filings}
    return {name: own[name](data) if name in own else kg.run(data, [name])[name] for name in sets or SETS}


def paraphrased() -> dict[str, float]:
    """Share of the questions that the first edge answers, and whose answer is among the first three documents'."""
    trials, questions = load()[0], ask()
    embedder = open_embedder()
    with tempfile.TemporaryDirectory() as folder:
        store = make(Path(folder) / "store", trials, embedder)
        meaning = meaning_by(open_statements(store), embedder)
        called = dict(names_of(trials))
        out: dict[str, float] = {"questions": len(questions)}
        for name, how in (("", meaning), ("_without_sentences", None)):
            ranks = [_rank(store, called, question, how) for question in questions]
            for top in (1, 3):
                out[f"recall@{top}{name}"] = round(float(np.mean([rank < top for rank in ranks])), 4)
    return out


def ask() -> list[Question]:
    """The questions, in order."""
    text = resources.files("h3cold.kg").joinpath("trials", FILE).read_text(encoding="utf-8")
    rows = (line[2:].rsplit("|", 1) for line in text.splitlines() if line.startswith("? "))
    return [Question(asked.strip(), tuple(names.split())) for asked, names in rows]


def make(path: Path, trials: Sequence[Trial], embedder: Embedder) -> ColdStore:
    """A store of the set's documents as we read them."""
    found = read(trials)
    mentions = [m for f in found for m in f.mentions]
    relations = [r for f in found for r in f.relations]
    documents = {t.blocks[0].document: t for t in trials}
    return make_store(
        path,
        [b for t in trials for b in t.blocks],
        embedder=embedder,
        info={d: DocumentInfo(t.name, t.blocks[0].language or "en", t.company) for d, t in documents.items()},
        sources={d: f"{t.name}.pdf" for d, t in documents.items()},
        mentions=mentions,
        relations=relations,
        entities=link(mentions, relations),
    )


def _rank(store: ColdStore, called: dict[str, str], question: Question, meaning: Meaning | None) -> int:
    """Place (0 is the first) of a document that answers among those of the edges, a large number where none does."""
    edges, _ = answers(store, load_graph(store), understand(question.text), meaning=meaning)
    order = list(dict.fromkeys(called[edge.block.partition("-")[0]] for edge in edges))
    return min((order.index(name) for name in question.names if name in order), default=len(called))
