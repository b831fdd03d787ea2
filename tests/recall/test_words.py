"""The index of words: what it finds is what plain reading of the same tokens finds, however the index came to be."""

import math
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.ingest.store.arrays import map_arrays, write_arrays
from h3cold.ingest.store.words import K1, B, make_words
from h3cold.ingest.tokens import lexical
from h3cold.recall.copies import alike
from h3cold.recall.rank import OTHER_FORM, asked_words, coverage, page_coverage, phrases, pool_rarity
from h3cold.recall.understand import understand
from h3cold.recall.words import (
    best_rows,
    bm25,
    done_with,
    look_up,
    number_of,
    open_words,
    quick_sum,
    read_first,
    read_labels,
    read_more,
    read_texts,
)
from h3cold.schemas.errors import CorruptionError, StoreError

WORDS = ["debt", "asset", "total", "2018", "营业", "purchas", "properti", "é", "a", "zz"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=12), max_size=14)


class _Scan:
    def __init__(self, batches):
        self.to_batches = lambda: batches


class Rows:
    """A table of blocks in memory, with the one method of `lance.LanceDataset` that the index is read by."""

    def __init__(self, rows):
        self._rows = rows

    def scanner(self, *, columns, with_row_id, batch_size):
        assert with_row_id
        table = pa.table({name: [row[name] for row in self._rows] for name in [*columns, "_rowid"]})
        return _Scan(table.to_batches(batch_size))


def block(number, tokens, *, document=0, kind="passage", text=None, headings=(), caption=""):
    text = " ".join(tokens) if text is None else text
    return {
        "id": f"{document:02d}-{number:05d}", "document": f"{document:02d}", "position": number, "kind": kind,
        "page": 1, "pages": [1, 2], "language": "en", "group": "", "digest": f"{text}{headings}{caption}", "text": text,
        "caption": caption, "headings": list(headings), "tokens_text": " ".join(tokens), "_rowid": number + 7,
    }  # fmt: skip


def index(tokens):
    arrays, _ = make_words(Rows([block(i, own) for i, own in enumerate(tokens)]))
    return open_words(arrays)


def plain_bm25(tokens, terms):
    n, mean = len(tokens), max(sum(map(len, tokens)) / len(tokens), 1.0)
    out = np.zeros(n)
    for term, weight in terms:
        held = sum(term in own for own in tokens)
        idf = math.log(1 + (n - held + 0.5) / (held + 0.5))
        for i, own in enumerate(tokens):
            tf = own.count(term)
            out[i] += weight * idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * len(own) / mean)) if tf else 0
    return out


@given(texts.filter(len), st.lists(st.tuples(st.sampled_from([*WORDS, "absent"]), st.floats(0.1, 1)), max_size=6))
@settings(max_examples=60, deadline=None)
def test_scores_are_those_of_bm25_but_for_the_rounding_of_impacts(tokens, terms):
    terms = list(dict(terms).items())
    step = (K1 + 1) / 255
    allowed = sum(w * math.log(1 + len(tokens) + 0.5) for _, w in terms) * step + 1e-5
    found = bm25(index(tokens), terms)
    assert np.abs(found - plain_bm25(tokens, terms)).max() <= allowed


@given(st.sets(st.integers(0, 299)), st.integers(0, 2**32), st.floats(0.5, 9, width=32))
def test_many_scores_are_added_up_as_few_are(rows, seed, factor):
    rows = np.array(sorted(rows), np.int32)
    plain, quick = (random.random(300).astype(np.float32) for random in map(np.random.default_rng, (seed, seed)))
    impacts = np.random.default_rng(seed).integers(1, 256, len(rows)).astype(np.uint8)
    np.add.at(plain, rows, impacts * np.float32(factor))
    quick_sum()(quick, rows, impacts, np.float32(factor))
    assert quick == pytest.approx(plain, rel=1e-6)


@pytest.mark.parametrize("wrong", [3, -1])
def test_rows_that_there_are_not_are_told_each_time(wrong):
    words = index([["debt"], ["debt", "asset"], ["asset"]])
    start = int(words.rows_at[number_of(words, "debt")])
    rows = words.rows.copy()
    rows[start] = wrong
    for _ in range(2):
        with pytest.raises(CorruptionError, match="damaged"):
            bm25(words._replace(rows=rows), [("debt", 1.0)])


def test_scores_that_are_done_with_are_taken_for_the_next_question():
    words = index([["debt"], ["debt", "asset"], ["asset"]])
    first = bm25(words, [("debt", 1.0)])
    told = first.copy()
    done_with(words, first)
    assert bm25(words, [("asset", 1.0)]) is first
    assert bm25(words, [("debt", 1.0)]) == pytest.approx(told)


@given(st.lists(st.integers(0, 5), max_size=1500), st.integers(1, 40), st.booleans())
@settings(deadline=None)
def test_the_best_rows_are_those_that_sorting_all_gives(values, limit, masked):
    scores = np.array(values, np.float32)
    among = np.arange(len(values)) % 3 > 0 if masked else None
    rows, found = best_rows(scores, limit=limit, among=among)
    allowed = [i for i, v in enumerate(values) if v > 0 and (among is None or among[i])]
    assert rows.tolist() == sorted(allowed, key=lambda i: (-values[i], i))[:limit]
    assert found.tolist() == scores[rows].tolist()


def test_the_best_of_very_many_rows_are_exact():
    scores = np.random.default_rng(0).random(200_003).astype(np.float32)
    rows, _ = best_rows(scores, limit=100)
    assert rows.tolist() == np.argsort(-scores, kind="stable")[:100].tolist()


@given(texts, texts, st.sets(st.integers(0, 13)))
@settings(max_examples=60, deadline=None)
def test_an_index_made_from_the_former_one_is_the_one_made_from_nothing(before, after, same):
    after = [before[i] if i in same and i < len(before) else own for i, own in enumerate(after)]

    def rows(many):
        return Rows([block(i, t, headings=t[:1], caption=" ".join(t[1:2]), kind="table") for i, t in enumerate(many)])

    anew, notes = make_words(rows(after))
    changed, its_notes = make_words(rows(after), make_words(rows(before))[0])
    assert notes == its_notes and anew.keys() == changed.keys()
    for name, array in anew.items():
        assert array.dtype == changed[name].dtype and np.array_equal(array, changed[name]), name


@given(texts.filter(len), st.sampled_from(["debt of total assets 2018", "营业 2018 zz", "capital expenditure in 2018"]))
@settings(max_examples=60, deadline=None)
def test_what_candidates_hold_is_what_their_tokens_say(tokens, text):
    question = understand(text)
    pairs = list(pairwise(question.words))
    found = index(tokens)
    read = read_texts(found, np.arange(len(tokens)), look_up(found, asked_words(question), pairs))
    sets = [frozenset(own) for own in tokens]
    for word, column in read.place.items():
        assert read.present[:, column].tolist() == [word in own for own in sets]
    assert read.paired.tolist() == [[pair in set(pairwise(own)) for pair in pairs] for own in tokens]
    rarity = pool_rarity(question.words, read)
    counts = Counter(word for own in sets for word in own)
    assert rarity == {w: math.log(1 + len(sets) / max(counts[w], 1)) for w in question.words}

    def plain(own):
        there = {w: 1.0 for w in rarity if w in own}
        for unit in question.units:
            if not unit.words <= own and any(form <= own for form in unit.forms if form):
                there |= dict.fromkeys(unit.words & rarity.keys(), OTHER_FORM)
        return sum(rarity[w] * share for w, share in there.items()) / sum(rarity.values())

    assert coverage(rarity, read.place, read.present, question) == pytest.approx([plain(s) for s in sets], abs=1e-5)
    pages = np.arange(len(sets)) % 3
    together = [frozenset().union(*(s for s, p in zip(sets, pages, strict=True) if p == page)) for page in pages]
    assert page_coverage(pages, rarity, read, question) == pytest.approx([plain(s) for s in together], abs=1e-5)
    assert phrases(rarity, read, question).max(initial=0) <= 1


@given(texts.filter(len))
@settings(max_examples=40, deadline=None)
def test_copies_are_blocks_whose_tokens_are_nearly_the_same(tokens):
    found = index(tokens)
    without = [np.array([n]) if (n := number_of(found, "total")) > 0 else np.zeros(0, np.int64) for _ in tokens]
    first, second = alike(found, np.arange(len(tokens)), without, share=0.9)
    sets = [set(own) - {"total"} for own in tokens]
    pairs = combinations(range(len(sets)), 2)
    expected = [(i, j) for i, j in pairs if sets[i] and len(sets[i] & sets[j]) >= 0.9 * len(sets[i] | sets[j])]
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == expected


def test_row_labels_are_those_made_of_the_words_asked_for():
    rows = [
        block(0, ["x"], kind="table", text="| 2018 | 2017\nTotal debt | 1 | 2\nDebt securities | 3 | 4\n\n资产 | 5"),
        block(1, ["x"], text="Total debt | 1"),
        block(2, ["x"], kind="table", text="Total | 1", headings=["Total debt"], caption="of 2018"),
    ]
    found = open_words(make_words(Rows(rows))[0])
    asked = {*lexical("total debt"), *lexical("资产")}
    labels = read_labels(found, np.arange(3), asked)
    assert labels == [[frozenset({"total", "debt"}), frozenset(lexical("资产"))], [], [frozenset({"total"})]]
    assert read_labels(found, np.array([2, 0]), asked) == [labels[2], labels[0]]
    assert read_texts(found, np.arange(3), look_up(found, ["debt", "2018"], [])).heads.tolist() == [
        [False] * 2,
        [False] * 2,
        [True] * 2,
    ]


def test_an_index_of_nothing_finds_nothing():
    found = index([])
    assert best_rows(bm25(found, [("debt", 1.0)]), limit=5)[0].tolist() == []
    assert number_of(found, "debt") == -1


def test_arrays_come_back_from_their_file_and_a_file_cut_short_is_told(tmp_path):
    path = tmp_path / "index" / "arrays"
    arrays = {"a": np.arange(5, dtype=np.int32), "b": np.zeros((0, 3)), "c": np.array([b"x", b"yyy"])}
    write_arrays(path, arrays, {"kind": ["table"]})
    back, notes = map_arrays(path)
    assert notes == {"kind": ["table"]}
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype and np.array_equal(back[name], array)
    path.write_bytes(path.read_bytes()[:-64])
    with pytest.raises(CorruptionError):
        map_arrays(path)
    path.write_bytes(b"x" * 200)
    with pytest.raises(CorruptionError):
        map_arrays(path)
    with pytest.raises(StoreError):
        map_arrays(tmp_path / "none")


@given(texts, st.sets(st.integers(0, 13)), st.sets(st.integers(0, 13)))
def test_texts_of_which_some_were_read_before_are_as_those_read_at_once(tokens, before, wanted):
    found = index(tokens)
    sought = look_up(found, ["debt", "2018", "nowhere", "total"], [("debt", "2018"), ("total", "debt")])
    rows = np.array(sorted(wanted & set(range(len(tokens)))), np.int64)
    first = read_first(found, before & set(range(len(tokens))), sought)
    upon, anew = read_more(found, rows, sought, first), read_texts(found, rows, sought)
    assert upon.place == anew.place
    for name in ("present", "heads", "paired"):
        assert (getattr(upon, name) == getattr(anew, name)).all() and getattr(upon, name).shape[0] == len(rows)
