"""The cold store: Lance tables, derived indexes, and the manifest that ties one snapshot of them together.

Reading: `ColdStore`. Writing: `writer.open_writer` (the build does), or `make.make_store` from blocks in hand.
"""

from h3cold.ingest.store.reader import ColdStore

__all__ = ["ColdStore"]
