"""The cold store: Lance tables, derived indexes, and the manifest that ties one snapshot of them together.

Reading:  `from h3cold.ingest.store.reader import ColdStore`
Writing:  `from h3cold.ingest.store.writer import open_writer` (the build does; `make.make_store` from blocks in hand)
"""
