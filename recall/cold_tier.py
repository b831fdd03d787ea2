"""`ColdTier`: what a program opens to recall from a cold store."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from h3cold.recall.intent import Guess, chosen, guess
from h3cold.recall.query import CUT, Defaults, check_candidates, check_request, check_top, clean_query, is_cut
from h3cold.schemas.errors import StoreError
from h3cold.schemas.hit import Hits, Intent

if TYPE_CHECKING:
    from h3cold.ingest.store import ColdStore
    from h3cold.ingest.store.as_of import AsOf
    from h3cold.recall.cross_encoder import CrossEncoder
    from h3cold.recall.descent import Descent, Node
    from h3cold.recall.hits import Around
    from h3cold.recall.like import Coarse, DocumentHit
    from h3cold.recall.search import Asked, Snapshot
    from h3cold.schemas.block import Block
    from h3cold.schemas.config import Config


class ColdTier:
    """A cold store opened for recall: one snapshot of it, until `refresh`. For several threads, not for forks."""

    def __init__(self, path: Path, snapshot: Snapshot, *, top: int, candidates: int) -> None:
        self.path = path
        self.top = top
        self.candidates = candidates
        self._snapshot: Snapshot | None = snapshot
        self._reader: CrossEncoder | None = None
        self._guard = threading.Lock()
        self._process = os.getpid()
        self._beside = ThreadPoolExecutor(thread_name_prefix="h3-embedding")

    @classmethod
    def open(cls, path: str | Path, as_of: AsOf = None, *, config: Config | None = None) -> ColdTier:
        """Open the store's current snapshot, or an older one that is still kept.

        `as_of` is its number, or a time at which it was current: a datetime, a date (its end is meant), or either as
        ISO 8601 text, local unless it names a zone.

        The section `recall` of `config` (see `h3cold.schemas.config.load_config`) says what `recall` does by default.

        Raises:
            UsageError: `as_of` is neither a number nor a time, or `path` none that there can be.
            StoreError: there is no store or no such snapshot at `path`, or it cannot be read.
            StoreVersionError: the store is of another schema version.
            ConfigError: the file of weights that `config` names cannot be read.
            ModelError: the cross-encoder that `config` names is not at hand.
        """
        from h3cold.recall.opening import begin, finish
        from h3cold.recall.query import check_folder

        folder = check_folder(path)
        wished = Defaults() if config is None else config.recall
        begun = begin(folder, as_of, wished.mode)  # before all that takes long to import
        from h3cold.recall.weights import default_weights, load_weights

        weights = load_weights(wished.weights) if wished.weights else default_weights()
        tier = cls(folder, finish(begun, weights), top=wished.top, candidates=wished.candidates)
        if wished.cross_encoder:
            from h3cold.recall.cross_encoder import CrossEncoder

            tier._reader = CrossEncoder(wished.cross_encoder)
        return tier

    def recall(
        self,
        query: str,
        intent: str = "auto",
        top: int | None = None,
        where: Mapping[str, Any] | None = None,
        *,
        candidates: int | None = None,
    ) -> Hits:
        """The blocks that answer `query`, best first, at most `top`; none if nothing passes `where`.

        A list, whose `confidence` (0..1) says how sure it is that they are about the question at all: where
        its `fits` is False, nothing fits well, the hits are the nearest there is, and their reasons say so.

        Args:
            query: a question or some words, in English or Chinese; of a longer one than 2,000 characters the rest is
                left out, and the hits' reasons say so.
            intent: "text", "structure" (tables, figures, formulas), "relation", or "auto" to decide by the query.
            top: number of hits, 1 to 1000; by default that of the configuration, 5 without one.
            where: hard filters: company, title, period, doctype, language, source (glob), document, kind, page.
            candidates: blocks taken from each index before ranking; by default the configuration's, else 100.

        Raises:
            QueryError: the query holds no word, or intent, top, candidates or a filter is not one that there is.
            StoreError: the store cannot be read, or is closed.
        """
        from h3cold.recall.search import search

        snapshot, asked = self.prepare(query, intent, top, where, candidates=candidates)
        hits = Hits() if asked is None else search(snapshot, asked)
        if is_cut(query):
            return Hits((replace(h, reason=f"{h.reason}; {CUT}") for h in hits), confidence=hits.confidence)
        return hits

    def prepare(
        self, query: str, intent: str = "auto", top: int | None = None, where: Mapping[str, Any] | None = None, *,
        candidates: int | None = None,
    ) -> tuple[Snapshot, Asked | None]:  # fmt: skip
        """What `recall` searches for and in which snapshot, None where nothing passes `where`; as for `recall`."""
        from h3cold.recall.beside import embed_beside
        from h3cold.recall.corpus import mask_of
        from h3cold.recall.meant import read_question
        from h3cold.recall.search import Asked
        from h3cold.recall.summary_search import fewer

        snapshot = self._open_snapshot()
        top = self.top if top is None else top
        candidates = self.candidates if candidates is None else candidates
        text, limits = check_request(query, intent, top, where)
        check_candidates(candidates)
        mask = mask_of(snapshot.corpus, limits)
        if not len(snapshot.corpus) or (mask is not None and not mask.any()):
            return snapshot, None
        vector = None if snapshot.embedder is None else embed_beside(self._beside, snapshot.embedder, text)
        decided = guess(text) if intent == "auto" else chosen(cast(Intent, intent))
        question, evidence = read_question(snapshot, text, mask)
        strict = intent != "auto"
        most = max(candidates, top * 4)
        most = most if snapshot.whole is None else fewer(most, len(snapshot.corpus), top)
        return snapshot, Asked(question, evidence, decided, vector, top, most, mask, strict, self._reader)

    def documents_like(self, what: str, top: int = 10) -> list[DocumentHit]:
        """Documents like the one that `what` is the id, source or path of, itself left out; else about what it asks.

        Raises:
            QueryError: a question that holds no word, the name of a file that is not there, or `top` is no number from
                1 to 1000.
            StoreError: the store has neither vectors nor trees of documents, cannot be read, or is closed.
        """
        from h3cold.recall.like import PASSAGES, Passages, documents_like

        clean_query(what)
        check_top(top)
        tier = self.fixed()
        snapshot, coarse = tier._open_coarse()

        def passages(question: str) -> Passages:
            hits = tier.recall(question, top=min(max(PASSAGES, 4 * top), 1000))
            return Passages([hit.document for hit in hits], hits.fits)

        hits = documents_like(snapshot, coarse, what, passages, top=top)
        return [replace(h, reason=f"{h.reason}; {CUT}") for h in hits] if is_cut(what) else hits

    def outline(self, document: str) -> Node:
        """A document, by id, source or path, as a tree of chapters and sections, each with a summary in its own words.

        Raises:
            StoreError: there is no such document, the store has no trees, cannot be read, or is closed.
        """
        from h3cold.recall.like import outline_of

        return outline_of(*self._open_coarse(), document)

    def descend(self, query: str, top: int = 5) -> Descent:
        """What a question leads to, from documents over chapters and sections to blocks, and the bytes read for it.

        Raises:
            QueryError: the query holds no word, or `top` is no number from 1 to 1000.
            StoreError: the store has no trees, no embedding model is at hand, or it is closed.
        """
        from h3cold.recall.like import descend_to

        text = clean_query(query)
        check_top(top)
        return descend_to(self._open_coarse()[1], text, top=top)

    @property
    def store(self) -> ColdStore:
        """The snapshot's reader, for those who need more than hits.

        Raises:
            StoreError: the tier is closed.
        """
        store: ColdStore = self._open_snapshot().store
        return store

    def documents(self) -> dict[str, dict[str, Any]]:
        """What the store knows of its documents, by id: source, title, language, company, period, doctype, pages.

        Raises:
            StoreError: the store cannot be read, or is closed.
        """
        return dict(self._open_snapshot().store.documents())

    def block(self, block: str) -> Block | None:
        """The block of this id, which hits carry; None where this snapshot has none: it is of another store or time.

        Raises:
            QueryError: `block` is no text.
            StoreError: the store cannot be read, or is closed.
        """
        from h3cold.recall.hits import read_blocks, row_named

        snapshot = self._open_snapshot()
        row = row_named(snapshot.corpus, block)
        return None if row is None else read_blocks(snapshot.store, snapshot.corpus, [row])[row]

    def around(self, block: str) -> Around | None:
        """What stands around a block, as its hit has it: `context(scope)`, `cells()`; None where there is no such one.

        Raises:
            QueryError: `block` is no text.
            StoreError: the store cannot be read, or is closed.
        """
        from h3cold.recall.hits import around, row_named

        snapshot = self._open_snapshot()
        row = row_named(snapshot.corpus, block)
        return None if row is None else around(snapshot.store, snapshot.corpus, row)

    def decide(self, query: str) -> Guess:
        """How `auto` would read `query`: the intents it would run, its confidence and its reason.

        Raises:
            QueryError: the query holds no word.
        """
        return guess(clean_query(query))

    def refresh(self) -> bool:
        """Go on to the newest snapshot; True if there was a newer one, or a store made anew in this one's place.

        Raises:
            StoreError: the store cannot be read, or is closed.
        """
        from h3cold.ingest.store.manifest import read_manifest
        from h3cold.recall.opening import open_snapshot

        with self._guard:
            old = self._open_snapshot()
            if read_manifest(self.path) == old.store.manifest:
                return False
            self._snapshot = open_snapshot(self.path, None, old.weights, old.mode)
            return True

    def fixed(self) -> ColdTier:
        """This tier with the snapshot that it has now, whatever `refresh` does: for calls that go together.

        It ends with this one, and is not to be closed itself.
        """
        self._open_snapshot()
        return copy.copy(self)

    def check(self) -> None:
        """Whether the store is still there and the snapshot's blocks read: one is read.

        Raises:
            StoreError: they do not, or the tier is closed.
        """
        from h3cold.ingest.store.manifest import read_manifest
        from h3cold.recall.hits import read_blocks, read_table

        snapshot = self._open_snapshot()
        read_manifest(self.path)
        if len(snapshot.corpus):
            read_table(snapshot.store, snapshot.corpus, [0])  # what is mapped outlives its file
            read_blocks(snapshot.store, snapshot.corpus, [0])

    def status(self) -> dict[str, Any]:
        """What is open: store, snapshot, counts by table, models, and what recall has to do without."""
        snapshot = self._open_snapshot()
        manifest, without = snapshot.store.manifest, [snapshot.missing] if snapshot.missing else []
        pictures = manifest.models.get("images", "off: no open_clip weights were given")
        if pictures.startswith("off"):
            without.append(f"image vectors are {pictures}")
        return {
            "store": str(self.path),
            "snapshot": manifest.snapshot,
            "created": manifest.created,
            "root": manifest.root,
            "counts": dict(manifest.counts),
            "models": {name: of for name, of in manifest.models.items() if name != "aliases"},
            "without": without,
        }

    def close(self) -> None:
        """Let the snapshot go; recalling afterwards is an error. Hits in hand stay usable."""
        self._snapshot = None
        self._beside.shutdown(wait=False)

    def __enter__(self) -> ColdTier:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open_coarse(self) -> tuple[Snapshot, Coarse]:
        from h3cold.recall.like import Coarse

        with self._guard:
            snapshot = self._open_snapshot()
            if snapshot.coarse is None:
                snapshot.coarse = Coarse(snapshot)
            return snapshot, snapshot.coarse

    def _open_snapshot(self) -> Snapshot:
        snapshot = self._snapshot
        if snapshot is None:
            raise StoreError(f"{self.path}: this tier is closed; open it again")
        if self._process != os.getpid():  # a fork has none of the threads that questions wait for
            raise StoreError(f"{self.path}: this tier was opened before the process forked; open it in each process")
        return snapshot
