"""One spelling for the many of a name, and the node id made from it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib import resources

from h3cold.schemas.graph import EntityType

_LEGAL_EN = re.compile(
    r"[\s,]+(?:inc|incorporated|corp|corporation|co|company|ltd|limited|llc|l\.l\.c|lp|l\.p|llp|plc|p\.l\.c|ag|sa|s\.a"
    r"|nv|n\.v|bv|b\.v|gmbh|s\.?p\.?a|kgaa|kg|se|oyj?|ab|asa?|a/s|k\.k|ulc|pbc|pte|pty|pjsc|jsc|s\.?a\.?r\.?l|s\.?a\.?s|n\.a|na)\.?$"
)
_LEGAL_ZH = ("股份有限责任公司", "股份有限公司", "有限责任公司", "有限公司", "股份公司", "公司")
_SAME_FORM = {
    "incorporated": "inc", "corp": "inc", "corporation": "inc", "company": "co", "limited": "ltd", "oyj": "oy",
    "asa": "as", "a/s": "as", "na": "",
}  # fmt: skip
_NOT_LEGAL = ("分公司", "子公司", "母公司", "孙公司")
_TITLE = re.compile(r"^(?:mr|mrs|ms|miss|dr|prof|professor|sir|hon|messrs)\.?\s+|\s*(?:先生|女士|博士|教授)$")
_ARTICLE = re.compile(r"^the\s+")
_QUOTES = str.maketrans(dict.fromkeys('"“”„«»《》〈〉「」『』`®™©') | {"’": "'", "‘": "'", "–": "-", "—": "-"})
_SPACES = re.compile(r"\s+")
_HAN_SPACE = re.compile(r"(?<=[\u2e80-\u9fff])\s+(?=[\u2e80-\u9fff])")
_STATE_TAG = re.compile(r"\s*/[a-z]{2,3}/?$|,?\s(?:and|&) (?:its )?(?:consolidated )?subsidiar(?:y|ies)$")


@cache
def read_lines(name: str) -> tuple[str, ...]:
    """The lines of one of this package's text files, without blank lines and `#` comments."""
    text = resources.files("h3cold.kg").joinpath(name).read_text(encoding="utf-8")
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


@cache
def word_sets() -> dict[str, str]:
    """Name -> blank-separated words of `words_en.txt`."""
    return dict(line.split(": ", 1) for line in read_lines("words_en.txt"))


@cache
def word_set(name: str) -> frozenset[str]:
    """One of the word sets."""
    return frozenset(word_sets()[name].split())


@cache
def _simplified() -> dict[int, int]:
    pairs = " ".join(read_lines("simplified.txt")).split()
    return {ord(pair[0]): ord(pair[1]) for pair in pairs}


@cache
def canonical_names() -> dict[str, str]:
    """Folded alias -> folded first name of its line, over all lists of names ("u.s" -> "united states")."""
    out: dict[str, str] = {}
    for file in ("places.txt", "agencies.txt", "measures.txt", "companies.txt"):
        for line in read_lines(file):
            first, *rest = (fold(part) for part in line.split("|"))
            out |= {alias.strip(" ."): first for alias in rest}
    return out


@cache
def countries() -> tuple[tuple[str, str], ...]:
    """(adjective, country) of `countries_en.txt`, as they are printed."""
    lines = (line.split("|") for line in read_lines("countries_en.txt"))
    return tuple((adjective, name) for name, *adjectives in lines for adjective in adjectives)


@cache
def _country() -> dict[str, str]:
    return {fold(adjective): name for adjective, name in countries() if "." not in adjective and adjective != "US"}


def country_of(adjective: str) -> str:
    """The country that an adjective says something to be of ("Swedish"), "" where it is none."""
    return _country().get(fold(adjective), "")


def simplified(text: str) -> str:
    """The text with simplified characters, of the same length."""
    return text.translate(_simplified())


def fold(text: str) -> str:
    """NFKC, lower case, simplified characters, single blanks (none between Han characters), no quotes."""
    if text.isascii():  # the same in less time
        return " ".join(text.replace('"', "").replace("`", "").lower().split())
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold().translate(_simplified())
    return _HAN_SPACE.sub("", _SPACES.sub(" ", text)).strip()


def strip_legal_form(name: str) -> str:
    """A folded organisation name without its legal form; never strips a name away or cuts at an "&"."""
    for suffix in _LEGAL_ZH:
        rest = name.removesuffix(suffix)
        if rest != name and len(rest) >= 2 and not name.endswith(_NOT_LEGAL):
            return rest
    while True:
        rest = _LEGAL_EN.sub("", name).rstrip(" ,")
        if rest == name or len(rest) < 2 or rest.endswith(("&", " and", " of")):
            return name
        name = rest


def key(type: EntityType, name: str) -> str:
    """The normalised name that two spellings of one thing share."""
    text = _ARTICLE.sub("", fold(name)).removesuffix("'s").removesuffix("'").strip(" .,;:") or fold(name)
    if type == "ORG" and text in canonical_names():
        text = canonical_names()[text]
    if type == "ORG":
        text = strip_legal_form(_STATE_TAG.sub("", text)).replace(" and ", " & ").replace(",", "")
        text = text.replace("(", "").replace(")", "").replace(".", "")
    elif type == "PERSON":
        text = _TITLE.sub("", text).replace(".", "")
    elif type in ("PLACE", "AGENCY", "MEASURE"):
        text = canonical_names().get(text, text)
        if type == "PLACE":
            text = fold(country_of(text)) or text
    elif type in ("LAW", "CASE", "CONTRACT"):
        text = text.replace(" ", "")
    return text


def entity_id(type: EntityType, name: str) -> str:
    """Node id, 24 hex characters: a digest of the type and the normalised name."""
    return hashlib.blake2b(f"{type}\n{key(type, name)}".encode(), digest_size=12).hexdigest()


@lru_cache(maxsize=1 << 15)
def legal_form(name: str) -> str:
    """What kind of company a name says it is ("inc", "ltd pte", "gmbh"), "" where it says none or a Chinese one.

    Forms that are written for one another ("Inc.", "Corp.", "Company") are one kind.
    """
    rest, kinds = fold(name).strip(" .,;:"), set()
    while (core := _LEGAL_EN.sub("", rest).rstrip(" ,")) != rest and len(core) >= 2:
        if core.endswith(("&", " and ", " of")):
            break
        form = re.sub(r"[\s.,]", "", rest[len(core) :])
        kinds.add(_SAME_FORM.get(form, form))
        rest = core
    return "inc" if kinds == {"co"} else " ".join(sorted(kinds - {"co", ""}))


def form_id(name: str) -> str:
    """Node id of an organisation that its legal form alone tells from another of its document."""
    text = f"ORG\n{key('ORG', name)}\n{legal_form(name)}"
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def own_form(name: str) -> str:
    """The legal form that tells a company from its namesakes in whatever document ("gmbh", "llc", "ltd pte").

    "" for those that are written for one another (Inc., Corp., Co., Ltd.) and for none.
    """
    form = legal_form(name)
    return "" if form in ("", "inc", "ltd", "inc ltd") else form


def org_id(name: str) -> str:
    """Node id that an organisation's name has by itself: "X GmbH" is another company than "X, Inc." or plain "X"."""
    return form_id(name) if own_form(name) else entity_id("ORG", name)


def relation_id(*parts: str | int) -> str:
    """Edge id, 24 hex characters: a digest of all that makes the edge what it is."""
    return hashlib.blake2b("\n".join(map(str, parts)).encode(), digest_size=12).hexdigest()


def is_acronym(short: str, name: str) -> bool:
    """True where `short` is made of the initials of `name` ("SEC", "GS", with or without the small words)."""
    letters = re.sub(r"[^A-Za-z]", "", short)
    if not 2 <= len(letters) <= 8 or sum(c.isupper() for c in letters) * 2 < len(letters):
        return False
    words = re.findall(r"[A-Za-z][\w']*", name)
    plain = strip_legal_form(fold(" ".join(words))).split()
    small = {"of", "the", "and", "for", "in", "on", "to", "de"}
    vague = small | {"group", "holdings", "holding"}
    choices = {
        "".join(w[0] for w in words).lower(),
        "".join(w[0] for w in words if w.lower() not in small).lower(),
        *("".join(w[0] for w in plain if w not in dropped) for dropped in ((), small, vague)),
    }
    return letters.lower() in choices


@cache
def _tails() -> tuple[str, ...]:
    """Lines of business that a Chinese short name leaves out, longest first."""
    return tuple(" ".join(read_lines("tails_zh.txt")).split())


def short_names(
    full: Iterable[str], *, taken: Iterable[str] = (), small: frozenset[str] = frozenset(), own: str = ""
) -> dict[str, str]:
    """Short form -> the one organisation with a legal form that it shortens ("Ondine" -> "Ondine Software Inc.").

    Args:
        full: organisation names of one document, as printed.
        taken: names that stand for something else there.
        small: words that the document also writes without a capital; they shorten nobody.
        own: the document's own company, whom a form means that could shorten several.
    """
    meanings: dict[str, dict[str, str]] = {}
    for name in sorted(set(full)):
        for form in _forms_of(name):
            meanings.setdefault(form, {})[key("ORG", name)] = name
    closed = {*taken}
    out = {}
    for form, owners in meanings.items():
        mine = key("ORG", own) if own else ""
        if (len(owners) == 1 or mine in owners) and form not in closed and form.casefold() not in small:
            out[form] = owners[mine] if mine in owners else next(iter(owners.values()))
    return out


def _forms_of(name: str) -> Iterator[str]:
    """Shorter forms of a name with a legal form, its core first."""
    if fold(name).strip(" .") == strip_legal_form(fold(name).strip(" .")):
        return
    if any("\u4e00" <= c <= "\u9fff" for c in name):
        core = next((name.removesuffix(s) for s in _LEGAL_ZH if name.endswith(s)), name)
        while len(core) >= 4 or (len(core) == 3 and core != name):
            yield core
            tail = next((t for t in _tails() if core.endswith(t) and len(core) - len(t) >= 3), "")
            if not tail or len(core) - len(tail) < 4:
                return
            core = core.removesuffix(tail)
        return
    words = name.replace(",", " ").split()
    size = len(strip_legal_form(fold(name).strip(" .")).split())
    for count in range(min(size, len(words) - 1), 0, -1):
        piece = words[:count]
        if piece[-1].casefold() in ("of", "and", "&", "the", "de"):
            continue
        if count > 1 and fold(" ".join(piece)) in _places():  # "New York" is not The New York Times Company
            continue
        if count > 1 or (len(piece[0]) >= 4 and piece[0].isalpha() and piece[0].casefold() not in _common()):
            yield " ".join(piece)


@cache
def _places() -> frozenset[str]:
    """Folded names of the list of places."""
    return frozenset(fold(name) for line in read_lines("places.txt") for name in line.split("|"))


@cache
def _common() -> frozenset[str]:
    """Words that alone shorten no company: generic ones, given names, places' words."""
    words = " ".join([*read_lines("generic_en.txt"), *read_lines("first_names.txt")]).casefold().split()
    places = {w for line in read_lines("places.txt") for w in line.casefold().replace("|", " ").split()}
    return frozenset(words) | places | {"first", "american", "united", "national", "global", "pacific", "central"}
