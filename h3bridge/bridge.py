"""Hits to tiers: what recall found is brought where the model can reach it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from h3cold.h3bridge.engine import H3Engine
from h3cold.h3bridge.prompts import Part, Prompt, build_prompt
from h3cold.h3bridge.protocol import Busy, Ticket
from h3cold.h3bridge.summary_target import SummaryTarget
from h3cold.recall.cold_tier import ColdTier
from h3cold.schemas.block import block_id
from h3cold.schemas.errors import PromotionError, StoreError
from h3cold.schemas.hit import HitRecord
from h3cold.schemas.tier import Promotion


class Bridge:
    """Promotes hits of one cold tier into one engine.

    A payload is read from the store's snapshot and its stored digest is checked; from there on it travels in frames
    whose checksum is verified at every crossing.
    """

    def __init__(self, tier: ColdTier, engine: H3Engine) -> None:
        self.tier, self.engine = tier, engine

    def promote(self, hits: Sequence[HitRecord]) -> list[Promotion]:
        """Move the hits' blocks COLD -> HBF -> HBM; one result a block, in the hits' order.

        One call is one request to the scheduler. Hits that stand next to each other in a document are read as
        sequential access, and the blocks that follow are fetched ahead into free HBF room; after other requests what
        is like the recent ones is, where that has paid. Nothing is promoted unless all hits are this store's.

        Raises:
            PromotionError: a hit was recalled from another store, or its block has left this one.
        """
        if not hits:
            return []
        self._check(hits)
        blocks = list(dict.fromkeys(hit.block for hit in hits))
        with self.engine.guard:
            self.engine.request(blocks, self._vectors(blocks))
            done = [self.engine.promote(block, self._reader(block)) for block in blocks]
            self._prefetch(blocks)
            self.engine.save()
        return done

    def promote_summaries(self, hits: Sequence[HitRecord], target: SummaryTarget) -> list[Ticket | Busy]:
        """Ask for the store's vectors of the hits' blocks in the middle tier, where `target` searches them.

        Raises:
            PromotionError: as for `promote`.
        """
        self._check(hits)
        vectors = self._vectors(list(dict.fromkeys(hit.block for hit in hits)))
        return [target.promote(target.payload(block, vector)) for block, vector in vectors.items()]

    def prompt(self, hits: Sequence[HitRecord], question: str, *, system: str = "") -> Prompt:
        """The prompt for the hits in canonical order, so that equal hits share a prefix whatever the question.

        Raises:
            PromotionError: as for `promote`.
        """
        self._check(hits)
        parts = {hit.block: Part(hit.block, f"[{hit.source}, page {hit.page}]\n{hit.text}") for hit in hits}
        return build_prompt(list(parts.values()), question, system=system)

    def _check(self, hits: Sequence[HitRecord]) -> None:
        """Refuse hits of another store, before anything moves."""
        store = self.tier.store
        blocks = list(dict.fromkeys(hit.block for hit in hits))
        rows = {r["id"]: r for r in store.rows("blocks", "id", blocks, ["id", "document"])}
        documents = store.documents()
        for hit in hits:
            row = rows.get(hit.block)
            where = f"snapshot {store.manifest.snapshot} of {self.tier.path}"
            if row is None:
                raise PromotionError(f"block {hit.block} ({hit.source}) is not in {where}: it was recalled "
                                     "from another store, or before the document changed; recall again")  # fmt: skip
            known = documents[row["document"]]["source"]
            if hit.document != row["document"] or hit.source != known:
                raise PromotionError(f"block {hit.block} comes from {hit.source}, in {where} it is {known}'s: the "
                                     "hit is another store's, or the file was renamed; recall again")  # fmt: skip

    def _reader(self, block: str) -> Callable[[], bytes]:
        def read() -> bytes:
            try:
                (found,) = self.tier.store.blocks([block])
            except StoreError as e:
                raise PromotionError(
                    f"block {block} is not in snapshot {self.tier.store.manifest.snapshot}: recall again ({e})"
                ) from e
            return found.captioned.encode()

        return read

    def _vectors(self, blocks: Sequence[str]) -> dict[str, np.ndarray]:
        rows = self.tier.store.rows("blocks", "id", blocks, ["id", "vector"])
        return {row["id"]: np.asarray(row["vector"], dtype=np.float32) for row in rows}

    def _prefetch(self, blocks: Sequence[str]) -> None:
        window = self.engine.prefetch_window
        places = {(b.rsplit("-", 2)[0], int(b.rsplit("-", 2)[1])) for b in blocks}
        ends = [(d, p) for d, p in places if (d, p - 1) in places and (d, p + 1) not in places]
        for document, last in sorted(ends):
            for position in range(last + 1, last + 1 + window):
                follower = block_id(document, position)
                try:
                    self.engine.prefetch(follower, self._reader(follower), f"follows block {last}, read in sequence")
                except PromotionError:
                    break  # the document ends here
        if not ends:
            for like in self.engine.ahead()[:window]:
                try:
                    self.engine.prefetch(like, self._reader(like), "like the recent queries")
                except PromotionError:
                    continue  # it has left the store
