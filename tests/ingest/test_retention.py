"""What is cleaned up is what no kept snapshot names, file by file."""

from h3cold.ingest.store.manifest import publish_manifest
from h3cold.ingest.store.retention import clean_up
from h3cold.schemas.manifest import STORE_VERSION, Manifest


def test_an_index_file_that_a_later_snapshot_goes_on_with_stays_and_its_neighbours_go(tmp_path):
    for number, index in ((1, {"doc2vec": "index/1/doc2vec.npz", "blocks": "index/1/blocks.faiss"}),
                          (2, {"doc2vec": "index/1/doc2vec.npz", "blocks": "index/2/blocks.faiss"})):  # fmt: skip
        for file in index.values():
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).write_text("x")
        (tmp_path / "index" / str(number) / "left.draft").write_text("x")
        created = f"2026-01-0{number}T00:00:00+00:00"
        publish_manifest(tmp_path, Manifest(STORE_VERSION, number, created, "", "", index=index))
    clean_up(tmp_path, {}, keep_days=0)
    left = {p.relative_to(tmp_path).as_posix() for p in (tmp_path / "index").rglob("*") if p.is_file()}
    assert left == {"index/1/doc2vec.npz", "index/2/blocks.faiss"}
    assert [p.name for p in (tmp_path / "meta" / "manifests").iterdir()] == ["2.json"]
