"""Relations that a question asks for: the entities it names, the edges around them, the blocks that say so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from h3cold.ingest.store.lance_errors import reading
from h3cold.ingest.store.reader import ColdStore
from h3cold.kg.facts import FAMILIES, TYPES, asks_for_all, every, nested, passages
from h3cold.kg.graph_index import Graph, open_graph
from h3cold.kg.query import Edge as Statement
from h3cold.kg.query import named_and_rest, relation_types
from h3cold.kg.statements import bare
from h3cold.kg.unknown_names import names_in, names_somebody
from h3cold.kg.walk import Floats, Ints
from h3cold.recall.edge_score import CERTAIN, Around, fits_office, of_another_year, score, ties
from h3cold.recall.naming import named_shortly
from h3cold.recall.understand import Question
from h3cold.schemas.errors import StoreError

EDGES = 400
"""Edges around the question's entities that are looked at, the surest first."""

READ = 60
"""Edges whose own words are compared with the question's, the best first."""

REACHED = 12
"""Passages of a walk over several edges that are kept."""

SPOKEN, FAINT = 0.6, 0.3
"""What an edge counts at least where no word speaks of a kind; and where relations may not be asked for at all."""

LOOSE = 0.7
"""What an edge at one of the named entities counts where another ties two of them as is asked."""

FAR = 0.6
"""Score of the best passage that more than one edge leads to."""

LIKE = 0.7
"""How near an edge behind another must be to what a question means, that its words ask for no such kind."""

BESIDE, LISTED = 0.7, 5
"""Share of its best edge's score from which a block's other edges are told beside it, and how many are, at most."""

_WHETHER = re.compile(r"^\W*(?:does|did|do|is|are|was|were|has|have|had)\b|是否|是不是|有没有|吗\W*$", re.IGNORECASE)

Like = Callable[[Ints], Floats]
Meaning = Callable[[str], Like]
"""From a question whose names are left out to how like it edges are, by number (`recall.statements.likeness`)."""


ELSEWHEN = " [of another year]"
"""Told behind an edge that is."""


class Edge(NamedTuple):
    """A block that answers, how well (0..1), and the path it states: "A —owns (51%)→ B, p. 12".

    `elsewhen`: its edges are of other years than the question asks for.
    """

    block: str
    score: float
    path: str
    elsewhen: bool = False


def load_graph(store: ColdStore) -> Graph:
    """The snapshot's graph: mapped from its index, or made in memory where an older version left none.

    Raises:
        StoreError: the index or a table cannot be read.
    """
    from h3cold.ingest.store.arrays import map_arrays
    from h3cold.ingest.store.graph import ROLE

    if ROLE in store.manifest.index:
        return open_graph(map_arrays(store.index_path(ROLE))[0])
    return _made(store)


def load_or_make_graph(store: ColdStore) -> tuple[Graph, tuple[str, ...]]:
    """`load_graph`, but of a damaged index what the tables say, and then what to tell of that.

    Raises:
        StoreError: a table cannot be read.
    """
    try:
        return load_graph(store), ()
    except StoreError as e:
        return _made(store), (f"the graph made anew in memory: {how_to_mend(e)}",)


def how_to_mend(error: StoreError) -> str:
    """What an index that is derived from the tables lacks, and what makes it anew."""
    said = str(error)
    return (
        said
        if "--repair" in said or "Permission denied" in said
        else f"{said}; h3-monitor --verify --repair makes it anew"
    )


def _made(store: ColdStore) -> Graph:
    from h3cold.ingest.store.graph import SAID, make_graph

    said = partial(store.rows, "mentions", "entity", columns=SAID)
    with reading(store.path / "tables" / "relations.lance"):
        return open_graph(make_graph(store.table("entities"), store.table("relations"), said)[0])


class Begun(NamedTuple):
    """What a question asks of a graph: the entities that it names, with how strongly (1 by their whole name, less by a
    part of it); its words without names; the types of relation that these want; the edges around those named. With
    `anywhere` all of these types, of which those of the documents that fit answer.
    """

    named: Mapping[str, float]
    asked: str
    wanted: frozenset[str]
    edges: Ints
    anywhere: bool


def begin(graph: Graph, question: Question, *, known: Callable[[str], bool] | None = None) -> Begun:
    """What a question asks of the graph; `known` tells words that the store's texts say."""
    fully, asked = named_and_rest(graph.names, question.text)
    named = {**named_shortly(question.text, graph.short), **dict.fromkeys(fully, 1.0)}
    wanted = frozenset[str](relation_types(asked))
    if not wanted:  # "Subsidiaries" may be somebody's name
        lower = " ".join(word for word in question.text.split() if word[0].islower())
        wanted = frozenset(relation_types(lower))
        asked = lower if wanted else asked
    met = [id for id in named if id in graph.facts.nodes]
    if met:
        return Begun(named, asked, wanted, _edges_at(graph, met), anywhere=False)
    if wanted and not names_somebody(question.text, known):
        edges = every(graph.facts, asked, limit=EDGES)
        return Begun(named, asked, wanted, edges, anywhere=len(edges) > 0 and not asks_for_all(asked))
    return Begun(named, asked, wanted, np.zeros(0, np.int64), anywhere=False)


def answers(
    store: ColdStore, graph: Graph, question: Question, *, begun: Begun | None = None, documents: Sequence[str] = (),
    meaning: Meaning | None = None, sure: bool = True, partly: bool = False,
) -> tuple[list[Edge], tuple[str, ...]]:  # fmt: skip
    """Blocks whose edges answer the question, best first, and the names of the entities that it speaks of.

    Around the entities it names; where it names nobody, edges of the type it asks for in `documents` (ids of the
    documents that fit its words); none where it names somebody whom the graph does not know. Where it names several,
    paths that tie two of them by way of a third count too. `meaning` weighs edges by what their sentences mean, most
    where no rule knows the question's words; `begun` is `begin`'s where it was asked before. Where it is not `sure`
    that relations are asked for and no word speaks of one, an edge counts for little unless its words are more of the
    question's than the names. Where it asks whether two are tied, or is `partly` about somebody whom no document names,
    only edges that tie two of its names count.

    Raises:
        StoreError: the tables cannot be read.
    """
    named, asked, wanted, edges, anywhere = begin(graph, question) if begun is None else begun
    if anywhere:
        papers = [row for row in map(graph.documents.row, documents) if row >= 0]
        edges = edges[np.isin(graph.papers[edges], papers)]
    met = [id for id in named if id in graph.facts.nodes]
    around = _around(store, graph, edges, named)
    best: dict[str, Edge] = {}
    like = meaning(bare(asked)) if meaning is not None and len(edges) else None
    alike = [None] * len(edges) if like is None else like(edges).tolist()
    scored = [
        (score(row, around, named, wanted, question, like=one), row)
        for row, one in zip(around.rows, alike, strict=True)
    ]
    if partly or _whether(question.text, named):
        firm = partly or sum(v >= CERTAIN for v in named.values()) > 1
        scored = [(v, row) for v, row in scored if ties(row, around, named, firm=firm)]
    tied = any(row["type"] in wanted and ties(row, around, named) for row in around.rows)
    scored = [(v if not tied or ties(row, around, named) else v * LOOSE, row) for v, row in scored]
    stated: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for value, row in sorted(scored, key=lambda s: (-s[0], s[1]["id"]))[:READ]:
        if value > 0:
            path = _path(around, row) + (ELSEWHEN if of_another_year(row, question) else "")
            least = 1.0 if wanted else SPOKEN if sure else FAINT
            beside = least + (1 - least) * said(path, question, among=asked)
            stated[row["block"]].append((value * beside * (0.7 + 0.3 * said(path, question)), path))
    for block, paths in stated.items():
        _keep(best, _listed(block, paths))
    for one, two, value in () if partly else _joined(around, named):
        if wanted and not wanted & {one["type"], two["type"]}:
            continue
        for row in (one, two):
            _keep(best, Edge(row["block"], value, f"{_path(around, one)}; {_path(around, two)}"))
    if met and not partly and (nested(asked) or not (best or wanted)) and (sure or wanted):
        for edge in _reached(store, graph, {id: named[id] for id in met}, question, asked, wanted, like):
            _keep(best, edge)
    speaks = tuple(graph.entities[i] for i in named if i in graph.entities)
    return sorted(best.values(), key=lambda e: (-e.score, e.block)), speaks


def _reached(
    store: ColdStore, graph: Graph, named: Mapping[str, float], question: Question, asked: str, wanted: Set[str],
    like: Like | None,
) -> list[Edge]:  # fmt: skip
    """Passages that more than one edge leads to, with all of the way; the last edge is of a kind that is asked for."""
    kinds = {k for k in TYPES if not wanted or k in wanted or any(k in f and f & wanted for f in FAMILIES)}
    found = [w for w in passages(graph.facts, named, asked, like) if len(w.path) > 1]
    if "located_in" not in wanted:  # what lies in one place has nothing to do with each other
        kinds_of = [[TYPES[graph.facts.types[e]] for e in w.path] for w in found]
        found = [w for w, k in zip(found, kinds_of, strict=True) if ("located_in",) * 2 not in pairwise(k)]
    last = np.array([w.path[-1] for w in found], np.int64)
    meant = np.zeros(len(last)) if like is None else like(last)
    found = [w for w, m in zip(found, meant, strict=True) if m > LIKE or TYPES[graph.facts.types[w.path[-1]]] in kinds]
    found = found[:REACHED]
    edges = np.array(sorted({e for w in found for e in w.path}), np.int64)
    around = _around(store, graph, edges, named)
    paths = {int(e): _path(around, row) for e, row in zip(edges, around.rows, strict=True)}
    fits = {int(e): fits_office(row, question.text) for e, row in zip(edges, around.rows, strict=True)}
    found = [w for w in found if fits[w.path[-1]] > 0]
    top = max((w.share for w in found), default=1.0)
    return [
        Edge(graph.blocks[w.block], FAR * (0.5 + 0.5 * w.share / top), "; ".join(paths[e] for e in w.path))
        for w in found
    ]


def _whether(text: str, named: Mapping[str, float]) -> bool:
    """Whether a text asks if those whom it names are tied: "Does Acme own Beta?", 甲是否控股乙."""
    if not _WHETHER.search(text):
        return False
    certain = sum(strength >= CERTAIN for strength in named.values())
    return certain > 1 or (certain == 1 and len(names_in(text)) > 1)


def said(path: str, question: Question, *, among: str = "") -> float:
    """Share of the question's words, or of other forms of its concepts, that an edge's own words hold.

    With `among`, a part of the question, of the words of that alone.
    """
    from h3cold.ingest.tokens import lexical

    tokens = frozenset(lexical(path))
    words = set(question.words) & set(lexical(among)) if among else set(question.words)
    there = words & tokens
    for unit in question.units:
        if any(form and form <= tokens for form in unit.forms):
            there |= unit.words & words
    return len(there) / max(len(words), 1)


def _listed(block: str, paths: list[tuple[float, str]]) -> Edge:
    """A block's best edge, with those that answer nearly as well: a list of subsidiaries answers with all of them."""
    paths.sort(key=lambda p: -p[0])
    top = paths[0][0]
    near = list(dict.fromkeys(path for value, path in paths if value >= BESIDE * top))
    more = f"; and {len(near) - LISTED} more" if len(near) > LISTED else ""
    return Edge(block, top, "; ".join(near[:LISTED]) + more, all(path.endswith(ELSEWHEN) for path in near))


def _keep(best: dict[str, Edge], edge: Edge) -> None:
    if edge.block not in best or edge.score > best[edge.block].score:
        best[edge.block] = edge


def _edges_at(graph: Graph, named: Sequence[str]) -> Ints:
    """Edges that meet at these nodes, the surest first."""
    ties, at = graph.facts.ties, [graph.facts.nodes[id] for id in named]
    edges = np.sort(np.concatenate([ties.order[ties.start[n] : ties.start[n + 1]] for n in at]))
    edges = edges[np.diff(edges, prepend=-1) > 0]  # np.unique loads masked arrays, 10 ms
    return edges[np.argsort(-graph.facts.confidence[edges], kind="stable")][:EDGES]


def _around(store: ColdStore, graph: Graph, edges: Ints, named: Mapping[str, float]) -> Around:
    """These edges as rows; names for both ends of each: the entity's, or a mention's where it was merged."""
    rows: list[dict[str, Any]] = [row for row in map(graph.row, edges.tolist()) if row is not None]
    if len(rows) < len(edges):  # an older version left rows to the table
        rows = store.take("relations", graph.rowids[edges].tolist()).to_pylist()
    ids = {row[end] for row in rows for end in ("head", "tail")}
    own = {i: graph.ends.get(i, i) for i in ids}
    names = {i: graph.entities[e] for i, e in own.items() if e in graph.entities}
    missing = sorted(ids - names.keys())
    if graph.rows is not None:
        names, missing = names | {i: graph.rows.called[i] for i in missing if i in graph.rows.called}, []
    for row in store.rows("mentions", "entity", missing, ["entity", "text"]) if missing else ():
        text = " ".join(row["text"].split())
        if len(text) > len(names.get(row["entity"], "")):
            names[row["entity"]] = text
    return Around(rows, {i: e for i, e in own.items() if e in named}, names)


def _path(around: Around, row: Mapping[str, Any]) -> str:
    head, tail = (around.names.get(row[end], "?") for end in ("head", "tail"))
    return f"{Statement(**row, head_name=head, tail_name=tail)}, p. {row['page']}"


def _joined(around: Around, named: Mapping[str, float]) -> list[tuple[dict[str, Any], dict[str, Any], float]]:
    """Pairs of edges that tie two of the named entities by way of a third; none where an edge ties them already."""
    if any(row["head"] in around.ends and row["tail"] in around.ends for row in around.rows):
        return []
    by_far: defaultdict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    for row in around.rows:
        if row["type"] == "measure_of":  # two that report the same item have nothing to do with each other
            continue
        near = [around.ends[row[end]] for end in ("head", "tail") if row[end] in around.ends]
        if len(near) == 1 and named.get(near[0], 0.0) >= CERTAIN:
            far = row["tail"] if row["head"] in around.ends else row["head"]
            by_far[around.names.get(far, far)].append((near[0], row))
    out = []
    for edges in by_far.values():
        first = edges[0]
        other = next((e for e in edges if e[0] != first[0]), None)
        if other is not None:
            sure = min(first[1]["confidence"], other[1]["confidence"])
            out.append((first[1], other[1], 0.8 * sure))
    return out
