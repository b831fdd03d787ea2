"""Which language a text is in: by its script, and among those in Latin letters by its commonest words."""

from __future__ import annotations

import re
from collections import Counter

from h3cold.ingest.script import beyond_ascii, count_alphabetic, han_count

_WORDS = {
    "en": "the of and to in that is for with as by on are this or be from at which not",
    "de": "der die und das den von zu mit ist des für auf im ein eine nicht dem sich als auch",
    "fr": "le la les des et en du une est pour dans que par sur qui au avec ce sont pas",
    "es": "el los las del y en que una por con para se es al como más su lo sus este",
    "it": "il di che la per con del della in un una sono le dei alla nel gli non più anche",
    "pt": "o os as do da em que uma para com não por no na dos das se mais ao são",
    "nl": "de het een van en in is dat op te voor met zijn aan niet door ook bij worden naar",
}
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]"), 0.1),
    ("ko", re.compile("[\uac00-\ud7a3]"), 0.2),
    ("ru", re.compile("[\u0400-\u04ff]"), 0.3),
    ("el", re.compile("[\u0370-\u03ff]"), 0.4),
    ("he", re.compile("[\u0590-\u05ff]"), 0.3),
    ("th", re.compile("[\u0e00-\u0e7f]"), 0.3),
    ("hi", re.compile("[\u0900-\u097f]"), 0.3),
)
_ARABIC = re.compile("[\u0600-\u06ff\ufb50-\ufdff\ufe70-\ufefc]")
_PERSIAN = re.compile("[پچژگیک]")
_ANY_WORDS = re.compile(r"[^\W\d_]+")
_ASCII_WORDS = bytes(i if i in b"abcdefghijklmnopqrstuvwxyz" else 32 for i in bytes(range(256)).lower())
"""Each byte as words in ASCII are counted with it: small letters, and a blank for everything else."""


def language_of(text: str) -> str:
    """ISO 639-1 code of the language that most of `text` is in; "en" where it is too short to tell."""
    letters = count_alphabetic(text)
    if not letters:
        return "en"
    others = beyond_ascii(text)  # other scripts are here
    for code, pattern, share in _SCRIPTS:
        if len(pattern.findall(others)) > share * letters:
            return code
    if han_count(others) > 0.15 * letters:
        return "zh"
    arabic = len(_ARABIC.findall(others))
    if arabic > 0.3 * letters:
        return "fa" if len(_PERSIAN.findall(others)) > 0.04 * arabic else "ar"
    if any(map(str.isalnum, others)):
        count = Counter(_ANY_WORDS.findall(text.lower()))
    else:  # the same, far faster
        count = Counter(text.encode(errors="replace").translate(_ASCII_WORDS).decode("ascii").split())
    scores = {code: sum(count[w] for w in common.split()) for code, common in _WORDS.items()}
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] > 1.3 * scores["en"] and scores[best] > 5 else "en"
