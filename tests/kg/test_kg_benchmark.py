import pytest

from h3cold.kg.benchmark import named_entities, run
from h3cold.kg.benchmark_edges import finre
from h3cold.schemas.errors import UsageError


def test_an_unknown_set_or_a_missing_file_is_said(tmp_path):
    with pytest.raises(UsageError, match="wikigold"):
        run(tmp_path, ["nonsense"])
    with pytest.raises(UsageError, match="no such file"):
        run(tmp_path)


def test_names_are_scored_by_exact_span_and_kind(tmp_path):
    lines = ["-DOCSTART- O", "", "Mr. O", "John I-PER", "Smith I-PER", "joined O", "Acme I-ORG", "Inc. I-ORG", ". O"]
    path = tmp_path / "gold.txt"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    assert named_entities(path)["f1"] == 1.0
    path.write_text("\n".join([*lines[:-1], "in O", "Berlin I-ORG", ""]), encoding="utf-8")
    assert 0 < named_entities(path)["f1"] < 1.0


def test_chinese_edges_are_scored_in_their_direction(tmp_path):
    path = tmp_path / "valid.txt"
    text = "腾讯收购了搜狗。"
    path.write_text(f"腾讯\t搜狗\t收购\t{text}\n搜狗\t腾讯\t被收购\t{text}\n", encoding="utf-8")
    assert finre(path)["f1_given"] == 1.0
    path.write_text(f"搜狗\t腾讯\t收购\t{text}\n", encoding="utf-8")
    assert finre(path)["f1_given"] == 0.0
