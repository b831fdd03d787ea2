"""Chinese names: jieba's word classes, name endings, family names beside titles, and lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from h3cold.kg import model_zh
from h3cold.kg.bare_zh import apart, firm, parted
from h3cold.kg.context_zh import placed_names, stop_words
from h3cold.kg.guesses_zh import sensible
from h3cold.kg.known_zh import known_names
from h3cold.kg.lexicon import Lexicon
from h3cold.kg.names import read_lines
from h3cold.kg.sentences import sentences
from h3cold.kg.signatures_zh import signed_lines
from h3cold.kg.spans import Span
from h3cold.kg.words_zh import Word, people, plausible_person, tagger, wordlike_han, words_of
from h3cold.schemas.graph import EntityType

_ORG_END = re.compile(
    r"(?:股份有限公司|有限责任公司|有限公司|集团公司|子公司|分公司|公司|集团|银行|证券|保险|基金|信托|电视台|医院|大学|学院|研究院|研究所"
    r"|协会|学会|商会|联合会|交易所|事务所|合伙企业|合作社|工厂|厂|药业|股份|控股|财险|人寿|航空|支行|分行|俱乐部|出版社|工会|基金会|中心)"
)
_AGENCY_END = re.compile(
    r"(?:证监局|监管局|管理局|税务局|公安局|环保局|工商局|监督局|总局|海关|委员会|国资[委局]|人民政府|人民法院|人民检察院|法院|检察院|财政部|商务部"
    r"|(?<=[省市县区])[\u4e00-\u9fff]{1,6}[局厅委])"
)
_NAME_CLASSES = ("n", "j", "b", "eng", "x", "a", "i", "l", "vn", "s", "z", "k")
_STOP_FLAGS = ("p", "c", "u", "d", "r", "y", "e", "o", "q", "w", "h")


_NAME_VERBS = frozenset({"控股", "投资", "销售", "供应", "担保", "出资", "提供", "发布", "委托"})
_NAME_TAILS = (
    "有限",
    "股份",
    "集团",
    "基金",
    "管理",
    "公司",
    "中心",
    "控股",
    "咨询",
    "服务",
    "担保",
    "发展",
    "合伙",
    "（",
    "(",
    "银行",
)
_LEGAL_FORMS = ("有限公司", "股份有限公司", "有限责任公司", "集团有限公司")
_LED = re.compile(
    r"(?:第[一二三四五]|前[一二三四五]?)?(?:大客户|大供应商|大股东|控股股东|大债权人|经销商|代理商)(?=[\u4e00-\u9fff]{4})"
)
"""The part that a firm plays for another, before its name."""
_TOWARDS = re.compile(
    r"(?:(?<=公司)|(?<=集团)|(?<=银行)|(?<=[局院会，。；、应当可须内前后日]))向(?![日阳上荣前])|(?<=[任就供]职)于"
)
"""A preposition that the dictionary takes for the beginning of a name (向东)."""
_KNOWN = 0.73
"""Weight of a listed company's short name."""
_MODELLED = 0.66
"""Weight of the trained model's names: below what a form gives away, above lists and jieba's word classes."""
_TIES = re.compile(
    "持有|拥有|控[股制](?!制度)|参股|持股|股[权份票东](?!有限公司|大会)|[收并采]购|认购|购[买得入]|买[下入]|兼并|合并(?![资报财现利])|入[股主]|借壳"
    "|私有化|受让|转让|抛售|[投注出增斥融]资(?!产|本|金|活动)|[增减]持|举牌|[子母孙]公司|旗下|下属|成立|设立|组建|创办|起诉|诉讼|状告|告上|纠纷"
    "|官司|侵权|仲裁|索赔|担保|供[应货]|订单|罚|警示|立案|总部|董事(?!会|局)|总裁|总经理|任职|签[订署约]|竞得|中标"
)
"""Words of a sentence that may tie a company to somebody; the trained model reads no others. What it finds there is
found in the rest of the document by its name."""
_CHECKED = 120
"""Characters from which a sentence is first looked at for noise."""


@cache
def _words(file: str) -> frozenset[str]:
    return frozenset(" ".join(read_lines(file)).split())


@cache
def _gazetteer() -> Lexicon[EntityType]:
    names: dict[str, EntityType] = {}
    kinds: tuple[tuple[str, EntityType], ...] = (
        ("places.txt", "PLACE"),
        ("agencies.txt", "AGENCY"),
        ("companies.txt", "ORG"),
    )
    for file, type in kinds:
        for line in read_lines(file):
            names |= {n: type for n in line.split("|") if not n.isascii() or (type == "ORG" and n.isupper())}
    return Lexicon(names)


@cache
def _title_patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    titles = "|".join(people()[1])
    return (
        re.compile(rf"(?:{titles})[:：]?\s?(?:为|系|是)?\s?([\u4e00-\u9fff]{{2,4}})"),
        re.compile(rf"([\u4e00-\u9fff]{{2,4}})(?={titles})"),
        re.compile(
            rf"(?:^|(?<=[，。；\n]))(?=[\u4e00-\u9fff]{{3}})([\u4e00-\u9fff]{{2,4}}?)(?=(?:仍|现|曾|先后|一直|目前)+(?:为|任|担任|出任|兼任)"
            rf"[\u4e00-\u9fff]{{0,16}}?(?:{titles}))|(?:聘任|聘请|任命|选举|提名|推选|委任|由|对)([\u4e00-\u9fff]{{2,4}}?)"
            rf"(?=(?:为|担任|出任|接任|继任|兼任)[\u4e00-\u9fff]{{0,16}}?(?:{titles})|处以|给予)"
        ),
    )


def find_names(text: str, *, model: bool = True) -> list[Span]:
    """Persons, organisations, public bodies and places of a Chinese (or mixed) text; they may overlap.

    Args:
        model: False leaves out what the trained model finds: rules alone.
    """
    return find_all([text], model=model)[0]


def find_all(texts: Sequence[str], *, model: bool = True) -> list[list[Span]]:
    """`find_names` of several texts; the model reads their sentences together."""
    out: list[list[Span]] = []
    starts: list[dict[int, Word]] = []
    asked: list[tuple[int, tuple[str, int, list[Word]]]] = []
    for index, text in enumerate(texts):
        spans = [Span(a, b, t, text[a:b], 0.6 if t == "PLACE" else 0.72) for a, b, t in _gazetteer().find(text)]
        spans += [Span(a, b, "PERSON", text[a:b], 1.1) for line in signed_lines(text) for a, b in line.names]
        places: dict[int, Word] = {}
        for start, end in sentences(text):
            if any("\u4e00" <= c <= "\u9fff" for c in text[start:end]) and not _is_noise(text[start:end]):
                words = words_of(text, start, end)
                places |= {w[0]: w for w in words}
                own = (firm(text, span, places) for span in _sentence_names(text, start, end, words))
                spans += [s for s in own if s is not None]
                if model and _TIES.search(text, start, end):
                    asked.append((index, (text[start:end], start, words)))
        out.append([piece for span in spans for piece in parted(span)])
        starts.append(places)
    for (index, _), guesses in zip(asked, model_zh.names([a for _, a in asked], _MODELLED), strict=True):
        text, places = texts[index], starts[index]
        out[index] += [s for guess in guesses for s in _judged(text, guess, places)]
    return out


def _judged(text: str, guess: Span, words: Mapping[int, Word]) -> Iterator[Span]:
    """The names in one guess of the model's."""
    parts = apart(text, guess, words)
    for part in parts:
        # Beside a firm 沈高 is one, too, though it looks like a person.
        odd = len(parts) > 1 and plausible_person(part.text) and part.text not in tagger().dt.word_tag_tab
        name = part if odd else sensible(text, part, words)
        if name is not None and (whole := firm(text, name, words)) is not None:
            yield whole


def _is_noise(sentence: str) -> bool:
    """True for a long run in which the dictionary knows hardly a word: guessing at it takes jieba minutes."""
    if len(sentence) <= _CHECKED:
        return False
    known = sum(len(p.word) for p in tagger().cut(sentence, HMM=False) if len(p.word) > 1)
    return known * 4 < len(sentence)


def _sentence_names(text: str, start: int, end: int, words: list[Word]) -> Iterator[Span]:
    for first, last in known_names(text, words):
        yield Span(first, last, "ORG", text[first:last], _KNOWN)
    for index, (first, last, flag) in enumerate(words):
        word = text[first:last]
        if flag == "nt" and word not in _words("generic_zh.txt"):
            yield Span(first, last, "ORG", word, 0.5)
        elif flag in ("nr", "nrfg") and plausible_person(word):
            yield Span(first, last, "PERSON", word, 0.45)
        elif flag == "nz" and len(word) >= 3 and not word.isascii() and word not in _words("generic_zh.txt"):
            yield Span(first, last, "ORG", word, 0.3)
        elif flag == "ns" and len(word) >= 2 and word not in stop_words():
            yield Span(first, last, "PLACE", word, 0.4)
        if index and word in _words("trades_zh.txt") and (name := _listed(text, words, index)) is not None:
            yield Span(name, last, "ORG", text[name:last], 0.62)
        for pattern, type in ((_AGENCY_END, "AGENCY"), (_ORG_END, "ORG")):
            if pattern.search(word) and pattern.search(word).end() == len(word):  # type: ignore[union-attr]
                name = _grown(text, words, index)
                if name is not None:
                    yield Span(name, last, type, text[name:last], 0.7 + min(last - name, 30) / 100)  # type: ignore[arg-type]
                break
    yield from _titled(text, start, end)
    for first, last in placed_names(text, start, end, _tagged):
        if not plausible_person(text[first:last]):
            yield Span(first, last, "ORG", text[first:last], 0.64)


def _tagged(text: str) -> list[tuple[str, str, bool]]:
    known = tagger().dt.word_tag_tab
    return [(pair.word, pair.flag, pair.word in known) for pair in tagger().cut(text)]


def _listed(text: str, words: list[tuple[int, int, str]], index: int) -> int | None:
    """Start of a listed company's short name (亚星 + 锚链): an odd word before a line of business."""
    start, end, flag = words[index - 1]
    word = text[start:end]
    if (
        end != words[index][0]
        or not 2 <= len(word) <= 4
        or word in _words("generic_zh.txt")
        or word in _words("stop_zh.txt")
    ):
        return None
    if flag.startswith(("nr", "nz", "ns", "nt", "j")):
        return start
    known = tagger().dt.word_tag_tab.get(word) is not None
    return None if known or not all("\u4e00" <= c <= "\u9fff" for c in word) else start


def _grown(text: str, words: list[tuple[int, int, str]], index: int) -> int | None:
    """Start of the organisation name that ends with word `index`, or None where it is but a kind of body."""
    first, last, _ = words[index]
    begin = first
    for start, end, flag in reversed(words[max(0, index - 10) : index]):
        word = text[start:end]
        bracket = word in "（）()" or word in ("·", "&")
        inside = (
            (word == "中" and (_in_firm(text, words, index, start, begin) or _leads(words, index, start)))
            or word in _words("inside_zh.txt")
            or (word in _NAME_VERBS and text.startswith(_NAME_TAILS, begin))
        )
        if end != begin or (
            not bracket
            and not inside
            and (word in _words("stop_zh.txt") or flag.startswith(_STOP_FLAGS) or (flag == "x" and not word.isalnum()))
        ):
            break
        if (
            not bracket
            and not inside
            and not flag.startswith(_NAME_CLASSES)
            and not _in_firm(text, words, index, start, begin)
        ):
            break
        if last - start > 40:
            break
        begin = start
    while begin < first and text[begin] in "）)（(·&":
        begin += 1
    if (lead := _LED.match(text, begin, last)) and last - lead.end() >= 4:
        begin = lead.end()
    begin = max((m.end() for m in _TOWARDS.finditer(text, begin, last) if last - m.end() >= 4), default=begin)
    name = text[begin:last]
    if (
        name in _words("generic_zh.txt")
        or len(name) < 3
        or any(name.endswith(g) and len(name) - len(g) < 2 for g in _words("generic_zh.txt"))
    ):
        return None
    return begin


def _in_firm(text: str, words: list[tuple[int, int, str]], last: int, start: int, begin: int) -> bool:
    """True for a verb that is a trade before a legal form (铸造有限公司), or an odd word that opens a clause or follows
    a preposition as a name's first word (启明, 中)."""
    if text.startswith(_LEGAL_FORMS, begin):
        return True
    if not any(form in text[begin : begin + 24] for form in _LEGAL_FORMS):
        return False
    before = next((w for w in reversed(words[:last]) if w[1] == start), None)
    opens = before is None or not wordlike_han(text[start - 1]) or before[2].startswith(("p", "c", "d"))
    return opens and begin - start <= 2


def _leads(words: list[Word], index: int, start: int) -> bool:
    """True for 中 that begins a name (新加坡中集国际): behind it stands what it cannot belong to."""
    before = next((w for w in reversed(words[:index]) if w[1] == start), None)
    return before is None or before[2].startswith(("p", "c", "ns", "x", "v"))


def _titled(text: str, start: int, end: int) -> Iterator[Span]:
    after, before, hired = _title_patterns()
    for match in hired.finditer(text, start, end):
        group = 1 if match.group(1) else 2
        if plausible_person(match.group(group)) and _tag_one(match.group(group)):
            yield Span(match.start(group), match.end(group), "PERSON", match.group(group), 0.8)
    for pattern in (after, before):
        for match in pattern.finditer(text, start, end):
            name, at = match.group(1), match.start(1)
            sizes = (3, 2, 4) if pattern is after else (4, 3, 2)
            for size in sizes:
                piece = name[:size] if pattern is after else name[-size:]
                place = at if pattern is after else at + len(name) - size
                if len(piece) == size and plausible_person(piece) and _tag_one(piece):
                    yield Span(place, place + size, "PERSON", piece, 0.8)
                    break


@cache
def _tag_one(word: str) -> bool:
    """True where jieba, shown only this word, holds it for one name, or a family name and what is no common word."""
    pairs = list(tagger().cut(word))
    if len(pairs) == 1:
        return bool(pairs[0].flag.startswith("nr"))
    given = pairs[1]
    odd = given.flag.startswith(("nr", "ns", "nz", "x")) or (tagger().dt.word_tag_tab.get(given.word) is None)
    return len(pairs) == 2 and len(pairs[0].word) == 1 and len(given.word) == 2 and odd
