"""What a sentence denies about places, laws and supervisors is no edge; what it lists is one for each."""

import pytest

from h3cold.kg.benchmark_edges import block
from h3cold.kg.extract import extract
from h3cold.schemas.document import DocumentInfo

DENIED = (
    ("located_in", "Granite Peak Corp. is {}headquartered in Denver.", "", ("not ", "no longer ")),
    ("located_in", "Granite Peak Corp. was {}based in Denver.", "", ("never ",)),
    ("located_in", "海隆石油股份有限公司{}位于上海。", "", ("并非", "不")),
    ("located_in", "海隆石油股份有限公司总部{}在上海。", "设", ("不",)),
    ("cites", "Rule 10b-5 was {}adopted under the Securities Exchange Act of 1934.", "", ("not ", "never ")),
    ("cites", "《证券发行管理办法》{}根据《中华人民共和国证券法》制定。", "", ("不是", "并非")),
    ("regulated_by", "海隆石油股份有限公司{}接受上海证监局的监督管理。", "", ("不", "并不")),
    ("acquires", "Kestrel Bank {} with Granite Peak Corp. in 2019.", "merged", ("did not merge", "never merged")),
)
CASES = [(type, text, yes, no) for type, text, yes, denials in DENIED for no in denials]
HELD = (
    ("Our shareholders are Kestrel Bank, Granite Peak Corp. and Ondine Software Inc.", "Tarn Holdings plc", 3),
    ("The shareholders of Kestrel Bank are John Smith, Mary Jones and Robert Vance.", "", 3),
    ("本公司股东为海隆石油股份有限公司、王伟和李娜。", "东方锐科股份有限公司", 3),
    ("公司的股东包括王伟、李娜、张强。", "东方锐科股份有限公司", 3),
)


def edges(text: str, company: str = "") -> list[tuple[str, str, str]]:
    language = "zh" if any("\u4e00" <= c <= "\u9fff" for c in text) else "en"
    one = block(text, 0, "0" * 32, language)
    found = extract([one], info=DocumentInfo(company=company, language=language))
    names = {m.entity: m.text for m in found.mentions}
    return [(names[r.head], r.type, names[r.tail]) for r in found.relations]


@pytest.mark.parametrize(("type", "text", "yes", "no"), CASES)
def test_what_is_denied_is_no_edge(type: str, text: str, yes: str, no: str) -> None:
    assert type in [e[1] for e in edges(text.format(yes))]
    assert type not in [e[1] for e in edges(text.format(no))]


@pytest.mark.parametrize(("text", "company", "count"), HELD)
def test_each_listed_shareholder_holds(text: str, company: str, count: int) -> None:
    holders = {head for head, type, _ in edges(text, company) if type == "owns"}
    assert len(holders) == count


@pytest.mark.parametrize(
    ("text", "head", "tail"),
    [
        ("Kestrel Bank acquired Polar Energy AG.", "Kestrel Bank", "Polar Energy AG"),
        ("Kestrel Bank acquired Gamma Labs LLC.", "Kestrel Bank", "Gamma Labs LLC"),
        ("Kestrel Bank acquired Granite Peak Corp.", "Kestrel Bank", "Granite Peak Corp."),
        ("Ondine Software Inc. merged with and into Kestrel Bank.", "Kestrel Bank", "Ondine Software Inc."),
        ("Kestrel Bank merged with Ondine Software Inc. in 2019.", "Kestrel Bank", "Ondine Software Inc."),
    ],
)
def test_a_name_ends_before_the_full_stop_unless_its_form_has_one(text: str, head: str, tail: str) -> None:
    assert edges(text) == [(head, "acquires", tail)]


def test_companies_of_a_list_are_names_of_their_own_and_partners_are_not() -> None:
    text = (
        "Competitors are Teleflex Inc., Thoratec Corporation, HeartWare International Inc., Terumo Heart, Inc. and "
        "Bank of America, N.A. Our adviser is Merrill Lynch, Pierce, Fenner & Smith Incorporated."
    )
    said = [m.text for m in extract([block(text, 0, "0" * 32)], info=DocumentInfo()).mentions]
    assert said == [
        "Teleflex Inc.", "Thoratec Corporation", "HeartWare International Inc.", "Terumo Heart, Inc.",
        "Bank of America, N.A.", "Merrill Lynch, Pierce, Fenner & Smith Incorporated",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "上海证监局负责海隆石油股份有限公司的监管。",
        "上海证监局负责监管海隆石油股份有限公司。",
        "海隆石油股份有限公司由上海证监局负责监管。",
        "海隆石油股份有限公司接受上海证监局的监督管理。",
    ],
)
def test_who_supervises_in_chinese(text: str) -> None:
    assert edges(text) == [("海隆石油股份有限公司", "regulated_by", "上海证监局")]


def test_an_owner_since_a_year_holds() -> None:
    text = "Since 1999, Danone SA has been the beneficial owner of 22% of the common stock of Orrin Foods, Inc."
    assert ("Danone SA", "owns", "Orrin Foods, Inc.") in edges(text)


def test_a_law_is_no_company_and_in_no_place() -> None:
    text = "The United States Constitution and the Delaware General Corporation Law apply in Delaware, United States."
    assert set(edges(text)) == {("Delaware", "located_in", "United States")}
