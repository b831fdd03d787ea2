"""Why a hit came: how the question was understood, and what spoke for the block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from h3cold.recall.catalog import Evidence
from h3cold.recall.filters import KINDS
from h3cold.recall.rank import FEATURES
from h3cold.schemas.hit import FITS, Intent

if TYPE_CHECKING:
    from h3cold.recall.search import Asked, Order, Snapshot
    from h3cold.recall.understand import Question


def understood(asked: Asked, found: Order, lacking: Sequence[str] = ()) -> str:
    """The head of every reason: the intent, how sure, why; what was understood; what recall had to do without.

    `lacking` is what relation recall lacks of the store.
    """
    guess, question = asked.guess, asked.question
    out = [] if found.confidence >= FITS else [f"nothing fits well ({found.confidence:.2f}), this is the nearest"]
    out += [f"{guess.best} intent as asked" if asked.strict
           else f"{' + '.join(guess.intents)} ({guess.confidence:.2f}: {guess.reason})"]  # fmt: skip
    out += [f"{said} read as {taken}" for said, taken in question.read]
    if found.strange:
        out.append(f"no document names {', '.join(found.strange[:3])}")
    if found.unsaid:
        out.append(f"none of the best says {', '.join(found.unsaid[:3])}")
    if question.periods:
        out.append("period " + ", ".join(dict.fromkeys(p.key for p in question.periods)))
    out += [f"{met.found} is also {', '.join(met.others[:2])}" for met in question.also]
    if _asks_for_ties(asked) and not found.edges:
        out.append(f"the graph knows {_unknown(found, question)}, so by text")
    if "relation" in guess.intents:
        out += lacking
    if found.undecided:
        out.append(found.undecided)
    if asked.reader is not None:
        out.append(f"the best read again by {asked.reader.name}")
    if asked.vector is None:
        out.append("by words only, the store's embedding model is not at hand")
    return "; ".join(out)


def _asks_for_ties(asked: Asked) -> bool:
    """Whether relations are what is asked for, or may be; a question of no known intent has them looked for as well."""
    from h3cold.kg.query import relation_types

    guess = asked.guess
    return guess.best == "relation" or ("relation" in guess.intents and bool(relation_types(asked.question.text)))


def _unknown(found: Order, question: Question) -> str:
    from h3cold.kg.unknown_names import names_somebody

    if found.met:
        return f"no such edge of {', '.join(found.met[:3])}"
    return "no entity of the question" if found.strange or names_somebody(question.text) else "no such edge"


def serves(i: int, found: Order, snapshot: Snapshot, asked: Asked) -> Intent:
    """Which of the intents run this hit serves."""
    intents = asked.guess.intents
    if i in found.edges:
        return "relation"
    if "structure" in intents and KINDS[int(snapshot.corpus.kind[int(found.pool.rows[i])])] != "passage":
        return "structure"
    return "text"


def signs(i: int, found: Order, snapshot: Snapshot, asked: Asked, evidence: Evidence) -> list[str]:
    """What spoke for one candidate."""
    corpus, row = snapshot.corpus, int(found.pool.rows[i])
    document = int(corpus.document[row])
    value = dict(zip(FEATURES, found.matrix[i].tolist(), strict=True))
    out = []
    if i in found.edges:
        out.append(found.edges[i].path)
    if KINDS[int(corpus.kind[row])] != "passage":
        out.append(KINDS[int(corpus.kind[row])])
    if evidence.names.get(document) and value["name"] > 0.3:
        out.append(f"named: {evidence.names[document]}")
    if value["period"] >= 0.99:
        out.append("its period")
    if value["doctype"]:
        kind = str(corpus.documents[document]["doctype"])
        out.append(f"is {'an' if kind[:1] in 'aeiou8' else 'a'} {kind}")
    if (served := serves(i, found, snapshot, asked)) != asked.guess.best:
        out.append(f"answers as {served}")
    strong = [name for name in ("lexical", "dense") if value[name] > 0.6]
    words = {"lexical": "words", "dense": "meaning"}
    out.append("by " + " and ".join(words[n] for n in strong) if strong else "by words and meaning together")
    if value["headings"] > 0.5:
        out.append("in its headings")
    copies = found.copies.get(i, [])
    if copies:
        out.append("same text " + ", ".join(_place(snapshot, int(found.pool.rows[j])) for j in copies[:3]))
    return out


def _place(snapshot: Snapshot, row: int) -> str:
    document = snapshot.corpus.documents[int(snapshot.corpus.document[row])]
    return f"in {document['source']} p. {int(snapshot.corpus.page[row])}"
