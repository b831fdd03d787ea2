import pytest

from h3cold.kg.bilingual import judge, load, names_of, read


@pytest.fixture(scope="module")
def found():
    trials, questions = load()
    return trials, questions, read(trials)


def test_the_set_is_what_it_says():
    trials, questions = load()
    names = {name: document for document, name in names_of(trials)}
    assert len(trials) >= 60 and len(set(names.values())) == len(trials)
    nodes = {p.node for t in trials for p in t.places} | {"fh"}
    for trial in trials:
        for place in trial.places:
            assert trial.blocks[place.block].text[place.start : place.end].strip()
        assert {end for f in trial.facts for end in (f.head, f.tail)} <= nodes, trial.name
    assert all(len(q.names) > 1 and set(q.names) <= set(names) for q in questions)


def test_nothing_scores_nothing(found):
    trials, _, results = found
    nothing = judge(trials, [r._replace(mentions=[], relations=[]) for r in results]).figures
    assert nothing["bcubed_f1"] == nothing["relation_f1"] == 0.0


def test_nodes_and_edges_of_the_set_are_found(found):
    trials, _, results = found
    figures = judge(trials, results).figures
    assert figures["bcubed_f1"] >= 0.95 and figures["relation_f1"] >= 0.9 and figures["values"] >= 0.9
