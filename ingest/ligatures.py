"""Words whose ligatures have no letters in the file: "e ciency", "signicant".

Some fonts' maps give a blank, a sign or nothing for the glyphs of ff, fi, fl and ffi. Which one is missing can be
told only from words that are known, so these are mended, and a page that has some is said to have them: others stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from h3cold.ingest.page_facts import PageFacts

FEWEST = 3
"""Different broken words from which a page is mended: one alone may be a name."""

USUAL = 0.002
"""Share of a page's letters that open fi, fl or ff in sound text, at the very least: there nothing is looked for."""

ENOUGH = 300
"""Letters below which a page says nothing about its ligatures."""

_WORDS = {
    "ffi": "di_cult di_culty di_culties e_cient e_ciently e_ciency e_ciencies su_cient su_ciently insu_cient "
    "coe_cient coe_cients o_ce o_ces o_cer o_cers o_cial o_cials a_liate a_liates a_liated",
    "ff": "di_erent di_erently di_erence di_erences di_erential e_ect e_ects e_ective e_ectively e_ort e_orts a_ect "
    "a_ects a_ected a_ord a_ordable o_er o_ers o_ered o_ering su_er su_ers su_ered bu_er bu_ers sta_ed",
    "fi": "signi_cant signi_cantly signi_cance speci_c speci_cally speci_cation speci_cations speci_ed bene_t bene_ts "
    "bene_cial con_dence con_dential con_guration con_gurations con_rm con_rmed de_ne de_ned de_nes de_nition "
    "de_nitions de_cit identi_ed identi_cation classi_ed classi_cation modi_ed modi_cation quali_ed noti_ed "
    "justi_ed satis_ed veri_ed veri_cation certi_ed certi_cate scienti_c pro_t pro_ts pro_table unpro_table "
    "arti_cial suf_cient ef_cient ef_ciency bene_ciary _nancial _nancially _nancing _rst _nally _gures _ndings",
    "fl": "in_uence in_uences in_uenced in_ation con_ict con_icts re_ect re_ects re_ected re_ecting _exible "
    "_exibility out_ow out_ows in_ow in_ows over_ow",
}  # fmt: skip

_ALL = bytes(range(256))
_LETTERS_ONLY = bytes(c if 97 <= c <= 122 else 32 for c in _ALL.lower())
"""For `bytes.translate`: letters of ASCII as small ones, all else as blanks."""

_GAP = r"(?:[ \ufffd?\ue000-\uf8ff\x00-\x1f]{0,2})"


def mend_ligatures(facts: PageFacts) -> int:
    """Put the ligatures back into the page's lines; returns in how many words, 0 where the page lacks none."""
    text = "\n".join([line.text for line in facts.lines])
    letters = len(text)
    if letters < ENOUGH or sum(map(text.count, ("fi", "fl", "ff", "\ufb01", "\ufb02"))) >= USUAL * letters:
        return 0
    pattern, whole, parts = _broken()
    words = text.encode("ascii", "replace").translate(_LETTERS_ONLY).split()
    if len(parts.intersection(words)) < FEWEST:  # far faster than looking for what is broken
        return 0
    found = [m[0].lower() for m in pattern.finditer(text)]
    if len(set(found)) < FEWEST:
        return 0
    mended = []
    for line in facts.lines:
        if pattern.search(line.text):
            spans = tuple(s._replace(text=_mended(s.text, pattern, whole)) for s in line.spans)
            line = line._replace(text=_mended(line.text, pattern, whole), spans=spans)
        mended.append(line)
    facts.lines = mended
    return len(found)


def _mended(text: str, pattern: re.Pattern[str], whole: Mapping[str, str]) -> str:
    return pattern.sub(lambda m: _as_written(m[0], whole), text)


def _as_written(broken: str, whole: Mapping[str, str]) -> str:
    word = whole["".join(c for c in broken if c.isalpha() and c < "\ue000").lower()]
    return word.capitalize() if broken[0].isupper() else word


@cache
def _broken() -> tuple[re.Pattern[str], dict[str, str], frozenset[bytes]]:
    """What finds the known words without their ligature, the words by the letters that are left of them, and of these
    what each ends in, or all, as either stands between blanks.
    """
    whole: dict[str, str] = {}
    parts: set[str] = set()
    forms: list[str] = []
    for ligature, words in _WORDS.items():
        for word in words.split():
            head, tail = word.split("_")
            parts |= {tail, head + tail}
            if head + tail not in whole:
                whole[head + tail] = head + ligature + tail
                forms.append(re.escape(head) + (_GAP if head else "") + re.escape(tail))
    forms.sort(key=len, reverse=True)
    return (
        re.compile(rf"(?<![\w-])(?:{'|'.join(forms)})(?![\w-])", re.IGNORECASE),
        whole,
        frozenset(map(str.encode, parts)),
    )
