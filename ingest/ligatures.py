"""Words whose ligatures have no letters in the file: "e ciency", "signi\\ufffdcant".

Some fonts' maps give a blank, a sign or nothing for the glyphs of ff, fi, fl and ffi. Which one is missing can be told
only from words that are known. A page is mended where three different ones are broken in one way and what is left of
them is a word in no language ("ciency", "identi"); then those whose parts may be words ("o er") are too. A page in
another language, or with sound ligatures, is left alone, and so is what stands beside signs of code or of names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise

from h3cold.ingest.language import language_of
from h3cold.ingest.page_facts import PageFacts, Word
from h3cold.schemas.geometry import BBox, union
from h3cold.schemas.letters import plain_case

FEWEST = 3
"""Different broken words that cannot be sound, from which a page is mended."""

USUAL = 0.002
"""Share of a page's letters that open fi, fl or ff in sound text, at the very least: there nothing is looked for."""

ENOUGH = 300
"""Letters below which a page says nothing about its ligatures."""

PART = 4
"""Letters from which a part that is no word tells that its word is broken."""

LEFT = 7
"""Letters left of a word from which it is known with nothing in the place of its ligature."""

_WORDS = {
    "ffi": "di_cult di_culty di_culties e_cient e_ciently e_ciency e_ciencies su_cient su_ciently insu_cient "
    "coe_cient coe_cients o_ce o_ces o_cer o_cers o_cial o_cials a_liate a_liates a_liated",
    "ff": "di_erent di_erently di_erence di_erences di_erential e_ect e_ects e_ective e_ectively e_ort e_orts a_ect "
    "a_ects a_ected a_ord a_ordable o_er o_ers o_ered o_ering su_er su_ers su_ered bu_er bu_ers sta_ed",
    "fi": "signi_cant signi_cantly signi_cance speci_c speci_cally speci_cation speci_cations speci_ed bene_t bene_ts "
    "bene_cial con_dence con_dential con_guration con_gurations con_rm con_rmed de_ne de_ned de_nes de_nition "
    "de_nitions de_cit identi_ed identi_cation classi_ed classi_cation modi_ed modi_cation quali_ed noti_ed "
    "justi_ed satis_ed veri_ed veri_cation certi_ed certi_cate scienti_c pro_t pro_ts unpro_table "
    "arti_cial suf_cient ef_cient ef_ciency bene_ciary _nancial _nancially _nancing",
    "fl": "in_uence in_uences in_uenced in_ation con_ict con_icts re_ect re_ects re_ected re_ecting "
    "_exibility out_ow out_ows in_ow in_ows over_ow",
}  # fmt: skip
_OTHER_WORDS = """
arti bene cant cate cations classi cult ects ered ering icts ical modi noti over quali table veri
"""
"""Parts of four letters and more that are words in some language, or names."""

_ALL = bytes(range(256))
_LETTERS_ONLY = bytes(c if 97 <= c <= 122 else 32 for c in _ALL.lower())
"""For `bytes.translate`: letters of ASCII as small ones, all else as blanks."""

_SIGN = "(?-i:[\ufffd\ue000-\uf8ff\x01-\x08\x0e-\x1f])"
"""Case is left out of it: each of its thousands would be looked up for it whenever the pattern is made."""

_GAP = f"(?: |{_SIGN})"
_BESIDE = r"\w./?@#$%&=<>|\\~^+*_\x01-\x08\x0e-\x1f\ue000-\uf8ff\ufffd-"
"""What no broken word stands beside: in file names, addresses, formulas and code; but a full stop may end it."""


def mend_ligatures(facts: PageFacts) -> int:
    """Put the ligatures back into the page's lines and words; returns in how many words of the lines, 0 where the page
    lacks none.
    """
    text = "\n".join([line.text for line in facts.lines])
    letters = len(text)
    if letters < ENOUGH or sum(map(text.count, ("fi", "fl", "ff", "\ufb01", "\ufb02"))) >= USUAL * letters:
        return 0
    broken = _broken()
    pieces = text.encode("ascii", "replace").translate(_LETTERS_ONLY).split()
    if len(broken.parts.intersection(pieces)) < FEWEST:  # far faster than looking for what is broken
        return 0
    # and this far faster than making the pattern: a page of figures ends in many parts, but not behind their heads
    if len(broken.parted.intersection(pairwise(pieces))) + len(broken.alone.intersection(pieces)) < FEWEST:
        return 0
    found: dict[str, set[str]] = defaultdict(set)
    for m in broken.pattern.finditer(text):
        if (gap := _gap(m[0])) != " " or _left(m[0]) in broken.sure:
            found[gap].add(_left(m[0]))
    way = max(found, key=lambda gap: len(found[gap]), default="")
    if len(found[way]) < FEWEST or language_of(text) != "en":
        return 0
    mended, lines = 0, []
    for line in facts.lines:
        said, count = broken.mended(line.text, way)
        if count:
            spans = tuple(s._replace(text=broken.mended(s.text, way)[0]) for s in line.spans)
            line = line._replace(text=said, spans=spans)
        mended += count
        lines.append(line)
    facts.lines = lines
    if mended:
        facts._words = partial(_mended_words, facts._words or facts.words(), way)
    return mended


def _mended_words(words: Callable[[], list[Word]] | list[Word], way: str) -> list[Word]:
    """A page's words as its lines say them: two that a blank parted are one."""
    broken = _broken()
    out: list[Word] = []
    for word in words if isinstance(words, list) else words():
        last = out[-1] if out and way == " " else None
        if last is not None and _follows(last.bbox, word.bbox):
            said, count = broken.mended(f"{last.text} {word.text}", way)
            if count and " " not in said:
                out[-1] = Word(said, union((last.bbox, word.bbox)))
                continue
        out.append(word._replace(text=broken.mended(word.text, way)[0]))
    return out


def _follows(left: BBox, right: BBox) -> bool:
    """Whether a word stands right after another on its line, a blank or less from it."""
    height = left[3] - left[1]
    return abs(left[1] - right[1]) < 0.3 * height and -0.2 * height < right[0] - left[2] < 0.7 * height


def _gap(broken: str) -> str:
    """What stands in a ligature's place: a blank, a "sign", or nothing."""
    return next((" " if c == " " else "sign" for c in broken if not c.isalpha()), "")


def _left(broken: str) -> str:
    return "".join(c for c in plain_case(broken) if c.isascii() and c.isalpha()).lower()


@dataclass(frozen=True, slots=True)
class Broken:
    """The known words without their ligatures: what finds them, the words by the letters left of them, those that
    cannot be sound, and what each ends in, or all of it, as either stands between blanks. `parted` are those that stand
    there as two pieces, one after the other, `alone` those of one piece.
    """

    source: str
    whole: Mapping[str, str]
    sure: frozenset[str]
    parts: frozenset[bytes]
    parted: frozenset[tuple[bytes, bytes]]
    alone: frozenset[bytes]

    @property
    def pattern(self) -> re.Pattern[str]:
        """What finds the words. It takes longer to make than ten pages to parse, and few files need it."""
        return _compiled(self.source)

    def mended(self, text: str, way: str) -> tuple[str, int]:
        """A text with the words mended that are broken in this way (see `_gap`), and in how many places."""
        count = 0

        def mend(m: re.Match[str]) -> str:
            nonlocal count
            said, left, gap = m[0], _left(m[0]), _gap(m[0])
            word = self.whole[left]
            if gap != way and (gap or not word.endswith(left)):  # nothing is left of one that a word begins with
                return said
            known = way == "sign" or (way == " " and left in self.sure)
            if not (said.islower() or (known and (said.isupper() or said[1:].islower()))):
                return said
            count += 1
            return word if said.islower() else word.upper() if said.isupper() else word.capitalize()

        return self.pattern.sub(mend, text), count


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


@cache
def _broken() -> Broken:
    whole: dict[str, str] = {}
    sound = _OTHER_WORDS.split()
    sure: set[str] = set()
    parts: set[bytes] = set()
    parted: set[tuple[bytes, bytes]] = set()
    alone: set[bytes] = set()
    forms: list[str] = []
    for ligature, words in _WORDS.items():
        for word in words.split():
            head, tail = word.split("_")
            left = head + tail
            if left in whole:
                continue
            whole[left] = head + ligature + tail
            parts |= {tail.encode(), left.encode()}
            if head:
                parted.add((head.encode(), tail.encode()))
            if not head or len(left) >= LEFT:
                alone.add(left.encode())
            if any(len(p) >= PART and p not in sound for p in (head, tail)):
                sure.add(left)
            forms.append(f"{head}{_GAP}{'?' if len(left) >= LEFT else ''}{tail}" if head else f"{_SIGN}?{tail}")
    forms.sort(key=len, reverse=True)
    pattern = rf"(?<!(?-i:[{_BESIDE}]))(?:{'|'.join(forms)})(?!\.?(?-i:[{_BESIDE.replace('.', '')}]))"
    return Broken(pattern, whole, frozenset(sure), frozenset(parts), frozenset(parted), frozenset(alone))
