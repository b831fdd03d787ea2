"""The short model of questions: near the whole one in two languages, asked what it learnt, built from its changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from h3cold.ingest.embed.e5 import E5
from h3cold.ingest.embed.e5_build import build_graph
from h3cold.ingest.embed.e5_short import FILE, STEPS, BareE5, QuickE5, ShortWeights, learnt, short_path
from h3cold.ingest.embed.e5_weights import open_weights
from h3cold.ingest.embed.short_network import Short, bare, batches, embedded, unit, words_of
from h3cold.ingest.embed.short_pack import pack
from h3cold.ingest.embed.short_texts import LONGEST, Pools, made
from h3cold.ingest.embed.train_short import label, shorten, train
from h3cold.schemas.errors import ModelError

ENGLISH = (
    "How did the drought of 2012 affect grain prices in Argentina?",
    "what was the weighted average interest rate on the senior notes due 2031?",
    "Which appendix lists the sampling sites along the Elbe?",
    "notice period for terminating the warehouse lease",
    "Does the merger agreement allow a termination fee if shareholders vote against it?",
    "accuracy of the baseline on the noisy test set",
    "Who chaired the remuneration committee before Ms. Okafor?",
    "compare freight revenue of the northern and southern divisions, 2016-2018",
    "why was the goodwill of the diagnostics unit written down",
    "LATE DELIVERY PENALTY CAP",
    "In a clinical trial with 240 patients, how many of those who took the drug for more than six weeks withdrew "
    "because of side effects, and how did this compare with the placebo group?",
    "Table of emissions by smelter",
)
CHINESE = (
    "干旱对二〇一二年阿根廷粮价有何影响？",
    "2031年到期优先票据的加权平均利率是多少",
    "仓库租赁合同的解约通知期",
    "薪酬委员会的前任主席是谁？",
    "诊断业务的商誉为什么计提减值？",
    "承运人对货物灭失应负什么责任",
    "北方分部与南方分部2016年至2018年的运费收入对比",
    "对照组有多少名患者因不良反应退出试验？",
    "冶炼厂排放表",
    "股东大会通过的利润分配方案是每10股派多少元？",
    "Okafor女士什么时候担任独立董事",
    "易北河沿岸的采样点列在哪个附录里？",
)


@pytest.fixture(scope="module")
def whole() -> E5:
    return E5(threads=1)


@pytest.fixture(scope="module")
def quick() -> QuickE5:
    return QuickE5(E5(threads=1))


@pytest.mark.parametrize("questions", [ENGLISH, CHINESE])
def test_vectors_are_near_those_of_the_whole_model(whole: E5, quick: QuickE5, questions: tuple[str, ...]) -> None:
    assert quick.id == whole.id and quick.dimension == whole.dimension
    vectors = quick.queries(questions)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    cosines = (vectors * whole.queries(questions)).sum(axis=1)
    assert cosines.mean() >= 0.985 and cosines.min() >= 0.97


def test_in_one_call_or_in_steps_vectors_are_the_same(quick: QuickE5) -> None:
    assert np.array_equal(quick.queries(ENGLISH[:2])[1:], quick.asking(ENGLISH[1])())
    assert quick.queries([]).shape == (0, quick.dimension)


def test_what_was_not_learnt_is_embedded_by_the_whole_model(whole: E5, quick: QuickE5) -> None:
    for text in (
        "Какова выручка за 2020 год?",
        "売上高はいくらですか",
        "Höhe der Rückstellung",
        "net sales " * 60,
        "?!",
        "",
    ):
        assert not learnt(text)
        assert np.array_equal(quick.queries([text]), whole.queries([text]))
    assert np.array_equal(quick.passages(CHINESE[:2]), whole.passages(CHINESE[:2]))
    assert np.array_equal(quick.query_states(ENGLISH[:1])[1][0], whole.query_states(ENGLISH[:1])[1][0])
    assert not np.array_equal(quick.queries(ENGLISH[:1]), whole.queries(ENGLISH[:1]))


def test_both_languages_with_their_signs_were_learnt() -> None:
    assert all(map(learnt, (*ENGLISH, *CHINESE, "“R&D”—35％ of €1m？", "资产（合计）：￥１,２３４", "A", "税", "7")))
    assert not any(map(learnt, ("résumé", "한국", "😀", "ひ", "a\0b", "", " ", "?", "……", "____")))


def test_a_question_loads_no_more_than_the_short_model() -> None:
    whole = E5(threads=1)
    quick = whole.quicker()
    quick.queries(["ready"])
    assert not {"_session", "_session_of_long"} & set(vars(whole))


def test_the_graph_is_the_same_each_time_it_is_built_from_the_weights(tmp_path: Path) -> None:
    build_graph(tmp_path / "again.onnx", ShortWeights(open_weights()), bare=True)
    assert (tmp_path / "again.onnx").read_bytes() == short_path().read_bytes()


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    damaged = tmp_path / "short.npz"
    damaged.write_bytes(FILE.read_bytes()[:5000])
    with pytest.raises(ModelError, match=r"short\.npz: cannot read the short model"):
        ShortWeights(open_weights(), damaged)


def test_the_graph_computes_what_was_trained(tmp_path: Path, whole: E5) -> None:
    """From a network that was changed at random, in every tensor, to the vectors of its packed graph."""
    torch.manual_seed(3)
    weights = open_weights()
    texts = [*ENGLISH[:2], *CHINESE[:2]]
    tokens = [np.array(whole._tokens(f"query: {text}")) for text in texts]
    network = bare(Short(weights), weights, tokens)
    with torch.no_grad():
        for name, value in network.named_parameters():
            noise = torch.randn_like(value)
            if name.startswith(("into", "out")):
                value.copy_(0.01 * noise + (torch.eye(weights.hidden) if value.ndim == 2 else 0))
            elif not name.startswith("below") or name.endswith(("keys", "values")):
                value += 0.1 * value.std() * noise
    pack(network.changes(weights), tmp_path / "short.npz")
    build_graph(tmp_path / "short.onnx", ShortWeights(weights, tmp_path / "short.npz"), bare=True)
    model = BareE5(threads=1, model=tmp_path / "short.onnx")
    for text, ids in zip(texts, tokens, strict=True):
        with torch.inference_mode():
            mean = network(network.under(words_of(embedded(weights, ids[None]))))[0].mean(0).numpy()
        assert mean @ model.asking(text)()[0] / np.linalg.norm(mean) >= 0.997


def test_each_stage_of_training_comes_nearer_to_the_whole_model(tmp_path: Path, whole: E5) -> None:
    weights, texts = open_weights(), [*ENGLISH[:5], *CHINESE[:5]]
    states = label(texts, tmp_path)
    passages = torch.from_numpy(whole.passages(CHINESE[:3]))
    vectors, tokens = whole.queries(texts), [np.array(whole._tokens(f"query: {text}")) for text in texts]

    def cosine(network: Short) -> float:
        found = []
        for ids in tokens:
            x = embedded(weights, ids[None])
            with torch.inference_mode():
                found.append(unit(network(network.under(x if network is first else words_of(x)))[0].mean(0)).numpy())
        return float((np.stack(found) * vectors).sum(axis=1).mean())

    *_, (stage, _, losses, first) = train(states, passages, middle_epochs=1, epochs=1)
    assert stage == "whole" and losses.keys() == {"states", "vector", "ranking"}
    ready = bare(first, weights, tokens)
    before = cosine(ready)
    *_, (stage, _, _, second) = shorten(first, states, passages, tmp_path, epochs=2)
    assert stage == "bare" and len(second.top) == len(first.top) - 1
    assert cosine(first) > 0.95 and cosine(second) > before > 0.9


def test_layers_without_changes_are_those_of_the_whole_model(tmp_path: Path) -> None:
    weights = open_weights()
    pack({}, tmp_path / "none.npz")
    short = ShortWeights(weights, tmp_path / "none.npz")
    for step in STEPS:
        if not step.startswith("map."):
            assert np.array_equal(short.tensor(f"{step}.fi.w"), weights.tensor(f"{step}.fi.w"))


def test_a_batch_has_texts_of_one_length_and_all_texts_come_once() -> None:
    lengths = np.random.default_rng(1).integers(5, 30, 500)
    found = list(batches(lengths, 100, np.random.default_rng(2)))
    assert sorted(np.concatenate(found).tolist()) == list(range(500))
    for batch in found:
        assert len(set(lengths[batch])) == 1 and (len(batch) == 1 or len(batch) * lengths[batch[0]] <= 100)


def test_texts_are_made_the_same_from_a_seed_with_all_questions() -> None:
    pools = Pools(
        ["The lessee shall keep the premises insured against fire and flood.", "Revenue rose by 4% in 2019."],
        ["公司于2019年3月设立子公司，注册资本5000万元。"], ["net income", "Item 1A. Risk Factors"],
        ["净利润", "应收账款"], ["Acme Corp.", "Norway"], ["招商银行"], ["Who owns Acme?"], ["谁控制招商银行？"],
    )  # fmt: skip
    texts = made(pools, seed=1, count=300)
    assert texts == made(pools, seed=1, count=300) != made(pools, seed=2, count=300)
    assert len(set(texts)) == 300 and {"Who owns Acme?", "谁控制招商银行？"} <= set(texts)
    assert all(1 < len(text) <= LONGEST for text in texts)
    assert {"{", "}"}.isdisjoint("".join(texts))
