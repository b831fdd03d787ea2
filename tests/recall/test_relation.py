"""Names in questions, whole and short, and which edges answer."""

from h3cold.kg.short_names import index_short, name_parts
from h3cold.recall.naming import named_shortly
from h3cold.recall.offices import office_fit
from h3cold.recall.relation import Around, answers, begin, load_graph, score
from h3cold.recall.understand import understand
from h3cold.schemas.graph import Entity

NAMES = index_short(
    [
        Entity("a", "ORG", "Ningbo Hailan Sensing Technology Co., Ltd."),
        Entity("b", "ORG", "宁波海岚传感技术有限公司"),
        Entity("c", "ORG", "Larkspur Instruments, Inc."),
        Entity("d", "PERSON", "Margaret Osei"),
        Entity("e", "ORG", "First Bank of Duluth"),
        Entity("f", "ORG", "Second Bank of Dongyu"),
        Entity("g", "ORG", "Third Bank"),
        Entity("h", "MEASURE", "Return on equity"),
    ]
)


def test_legal_forms_are_no_part_of_a_name():
    assert name_parts("The Larkspur Group, Inc.") == ("larkspur",)
    assert name_parts("海岚股份有限公司") == ("海岚",)


def test_short_names_name_their_entity():
    assert next(iter(named_shortly("Who owns Hailan?", NAMES))) == "a"
    assert list(named_shortly("海岚的股东是谁", NAMES)) == ["b"]
    assert list(named_shortly("where does Osei work", NAMES)) == ["d"]


def test_common_words_and_lower_case_words_name_nobody():
    assert named_shortly("Which instruments does Acme sell?", NAMES) == {}
    assert named_shortly("what is the return on equity", NAMES) == {}
    assert "g" not in named_shortly("the Duluth Bank", NAMES) or next(iter(named_shortly("Duluth Bank", NAMES))) == "e"


def test_what_asks_is_no_part_of_a_name():
    names = index_short([Entity("a", "ORG", "State Who Created the World"), Entity("b", "PERSON", "David Souter")])
    assert list(named_shortly("Who chose David Souter?", names)) == ["b"]


def test_edges_around_a_named_entity_answer_best_when_of_the_kind_asked_for(tier):
    store = tier._open_snapshot().store
    graph = load_graph(store)
    assert begin(graph, understand("Acme Widgets and 东方铁路")).named["e1"] == 1.0
    owns, speaks = answers(store, graph, understand("Who owns Beta Gears?"))
    assert owns[0].path == "Acme Widgets, Inc. —owns (51%, 2022)→ Beta Gears Ltd, p. 3" and "Beta Gears Ltd" in speaks
    assert answers(store, graph, understand("Who sued Beta Gears?")) == ([], speaks)
    assert answers(store, graph, understand("Who is the CEO of Beta Gears?")) == ([], speaks)
    assert answers(store, graph, understand("Does Acme own Beta Gears?"))[0]
    whether = understand("Does Acme own 华信科技?")
    assert answers(store, graph, whether)[0] == [] != answers(store, graph, understand("What does Acme own?"))[0]


def test_a_question_that_names_nobody_is_answered_from_the_documents_that_fit(tier, made):
    store = tier._open_snapshot().store
    graph = load_graph(store)
    question = understand("合同的双方是谁")
    found, speaks = answers(store, graph, question, documents=[made.ids["合同.pdf"]])
    assert speaks == () and "华信科技" in found[0].path
    assert answers(store, graph, question, documents=[made.ids["huaxin.pdf"]]) == ([], ())


def test_a_question_that_names_somebody_unknown_gets_no_edge_of_others(tier, made):
    store = tier._open_snapshot().store
    graph, papers = load_graph(store), list(made.ids.values())
    assert answers(store, graph, understand("Who owns which company?"), documents=papers)[0]
    for question in ("Who owns Borealis Grid Services?", "北冥电网有限公司的控股股东是谁？"):
        assert answers(store, graph, understand(question), documents=papers) == ([], ())


def edge_score(row, text, named, wanted=()):
    around = Around([row], {i: i for i in named}, {})
    return score(row, around, named, set(wanted), understand(text))


def test_who_owns_a_company_does_not_answer_what_it_owns():
    down = {"head": "a", "tail": "x", "type": "owns", "confidence": 0.9, "period": "", "value": ""}
    up = {"head": "x", "tail": "a", "type": "owns", "confidence": 0.9, "period": "", "value": ""}
    for text in ("青屿精密有哪些子公司？", "What subsidiaries does Acme have?"):
        assert edge_score(up, text, {"a": 1.0}) < edge_score(down, text, {"a": 1.0})
    assert edge_score(up, "Acme and its shares", {"a": 1.0}) == edge_score(down, "Acme and its shares", {"a": 1.0})


def test_what_a_company_owns_does_not_answer_who_owns_it():
    up = {"type": "owns", "head": "x", "tail": "a", "confidence": 0.8, "period": "", "value": ""}
    down = {**up, "head": "a", "tail": "x"}
    for question in ("Who owns Acme?", "谁控股华信科技？", "Acme 的实际控制人是谁"):
        assert edge_score(up, question, {"a": 1.0}) > edge_score(down, question, {"a": 1.0})
        assert edge_score(down, question, {"a": 1.0}) == 0
    for question in (
        "What does Acme own?",
        "Which companies are owned by Acme?",
        "甲公司收购了哪些公司",
        "what did Acme buy?",
    ):
        assert edge_score(down, question, {"a": 1.0}) > edge_score(up, question, {"a": 1.0}) == 0
    for question in ("Who is Acme owned by?", "owners of Acme", "Acme was bought by whom?"):
        assert edge_score(up, question, {"a": 1.0}) > edge_score(down, question, {"a": 1.0}) == 0


def test_an_edge_that_says_only_the_names_counts_for_little_where_relations_may_not_be_asked_for(tier):
    store = tier._open_snapshot().store
    graph, question = load_graph(store), understand("Which cyber attack did Beta Gears suffer?")
    sure, unsure = (answers(store, graph, question, sure=s)[0] for s in (True, False))
    assert sure and {e.block for e in unsure} <= {e.block for e in sure}
    assert unsure[0].score < 0.6 * sure[0].score
    owned = understand("Who owns Beta Gears?")
    assert answers(store, graph, owned, sure=False) == answers(store, graph, owned)


def test_the_holder_of_an_office_is_not_who_holds_another_or_held_it_for_a_time():
    asked = "Who is the CEO of Acme?"
    assert office_fit("Chairman of the Board, President and Chief Executive Officer", asked) == 1.0
    assert office_fit("首席执行官", asked) == 1.0
    assert office_fit("founder", asked) == office_fit("Chief Financial Officer", asked) == 0
    assert office_fit("founder", asked) < office_fit("interim Chief Executive Officer", asked) < 1.0
    assert office_fit("interim Chief Executive Officer", "Who was interim CEO of Acme?") == 1.0
    assert office_fit("", asked) == office_fit("founder", "Who runs Acme?") == 1.0
    assert office_fit("副总经理", "华信科技的总经理是谁") < office_fit("董事长、总经理", "华信科技的总经理是谁") == 1.0
    founder = {"type": "officer_of", "head": "x", "tail": "a", "confidence": 0.9, "period": "1986", "value": "founder"}
    assert edge_score(founder, asked, {"a": 1.0}) < edge_score({**founder, "value": "CEO"}, asked, {"a": 1.0})


def test_an_edge_of_another_month_counts_for_less():
    june = {"type": "acquires", "head": "a", "tail": "x", "confidence": 0.9, "period": "June 27, 2019", "value": ""}
    may = {**june, "period": "May 21, 2019"}
    for question, differ in (("What did Acme acquire in June 2019?", True), ("What did Acme acquire in 2019?", False)):
        assert (edge_score(may, question, {"a": 1.0}) < edge_score(june, question, {"a": 1.0})) == differ


def test_an_edge_of_another_year_counts_for_half_and_says_so(tier):
    bought = {"type": "acquires", "head": "a", "tail": "x", "confidence": 0.9, "period": "March 2020", "value": ""}
    asked = "What did Acme acquire in 2019?"
    other, undated = edge_score(bought, asked, {"a": 1.0}), edge_score({**bought, "period": ""}, asked, {"a": 1.0})
    assert 2 * other == edge_score({**bought, "period": "2019"}, asked, {"a": 1.0}) > undated > other
    store = tier._open_snapshot().store
    for year, elsewhen in ((2022, False), (2019, True)):
        edge = answers(store, load_graph(store), understand(f"Who owned Beta Gears in {year}?"))[0][0]
        assert edge.elsewhen == elsewhen == ("of another year" in edge.path)


def test_an_edge_of_another_half_or_quarter_counts_for_less():
    first = {"type": "acquires", "head": "a", "tail": "x", "confidence": 0.9, "period": "2023年1-6月", "value": ""}
    late, day, year = ({**first, "period": said} for said in ("second half of 2023", "March 3, 2023", "2023"))
    for question in ("What did Acme acquire in H1 2023?", "Acme 2023年上半年收购了谁", "Whom, January to June 2023?"):
        one, *others, other = (edge_score(e, question, {"a": 1.0}) for e in (first, day, year, late))
        assert others == [one, one] and other < one
    assert edge_score(day, "Q2 2023", {"a": 1.0}) < edge_score(day, "Q1 2023", {"a": 1.0})
    assert edge_score(late, "in 2023", {"a": 1.0}) == edge_score(first, "in 2023", {"a": 1.0})


def test_where_may_ask_from_whom():
    supplies = {"type": "supplies", "head": "x", "tail": "a", "confidence": 0.9, "period": "", "value": ""}
    assert edge_score(supplies, "Where does Acme get its gears?", {"a": 1.0}, {"located_in"}) > 0
    assert edge_score(supplies, "Who runs Acme?", {"a": 1.0}, {"officer_of"}) == 0


def test_an_edge_of_the_same_family_counts_for_less_than_one_that_is_asked_for():
    bought = {"type": "acquires", "head": "a", "tail": "x", "confidence": 0.9, "period": "", "value": ""}
    part = {**bought, "type": "subsidiary_of", "head": "x", "tail": "a"}
    asked = ("Whom did Acme acquire?", {"a": 1.0}, {"acquires"})
    assert edge_score(part, *asked) < edge_score(bought, *asked) / 2


def test_a_subsidiary_does_not_answer_who_owns_its_parent():
    own = {"type": "subsidiary_of", "head": "x", "tail": "a", "confidence": 0.9, "period": "", "value": ""}
    parent = {**own, "head": "a", "tail": "x"}
    assert edge_score(own, "Who owns Acme?", {"a": 1.0}) < edge_score(parent, "Who owns Acme?", {"a": 1.0})
    assert edge_score(own, "What subsidiaries does Acme have?", {"a": 1.0}) > edge_score(
        parent, "What subsidiaries does Acme have?", {"a": 1.0}
    )
