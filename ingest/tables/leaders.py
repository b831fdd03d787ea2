"""Dots that lead from a label to its figure, told apart from those that are a sign for none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from h3cold.ingest.tables.rows import Atom

_DOT = "._·…‥"
_LEADER = re.compile(r"^(.*?)(?:[._·…‥]\s?){3,}$", re.DOTALL)
_OTHER_SIGNS = "·…‥\ufffd"
_UNKNOWN = re.compile(r"[^\ufffd\x00-\x1f]")

UNKNOWN = 10
"""Signs without a Unicode value from which a run of them behind a label is taken for dots: longer than a word."""


def without_leaders(atoms: list[Atom]) -> list[Atom]:
    """Words without the dots that lead from a label to its figure; those that stand for none stay."""
    if not _may_lead(" ".join([a[4] for a in atoms])):
        return atoms
    atoms = _without_lone_dots(atoms)
    out: list[Atom] = []
    for k, a in enumerate(atoms):
        text = a[4]
        if text == "." and out and k and atoms[k - 1][4:6] == a[4:6] and out[-1][4][-1] != ".":
            continue  # one of many
        last = text[-1]
        if last.isalnum() and text[0].isalnum():  # as nearly all are
            out.append(a)
            continue
        if text[0] not in _DOT and last not in _DOT and not last.isspace():
            behind = len(text) >= UNKNOWN and not _UNKNOWN.search(text) and out and out[-1].line == a.line
            if not behind:
                out.append(a)
            continue
        if not text.strip(_DOT) and text not in ("…", "_"):
            level = [b[4][-1] for b in (*atoms[k - 1 : k], *atoms[k + 1 : k + 2]) if b[5] == a[5]]
            if len(text) == 3 and not level:
                out.append(a)  # alone on its line: a sign for none
                continue
            if len(text) > 1 or text in level:
                if out and out[-1][5] == a[5] and out[-1][4][-1] == text[0] and len(out[-1][4]) > 1:
                    out[-1] = _cut(out[-1], 1)
                continue
        match = _LEADER.match(text) if len(text) > 4 and (last in _DOT or last.isspace()) else None
        if match and match.group(1):
            a = _cut(a, len(text) - len(match.group(1)))
        elif match:
            continue
        out.append(a)
    return out


def _may_lead(text: str) -> bool:
    """Whether there are leaders among words parted by blanks: dots one after another or alone, or unknown signs."""
    if ".." in text or ". ." in text or " . " in text or "_" in text or not text.isprintable():
        return True
    return text[:2] == ". " or text[-2:] == " ." or any(sign in text for sign in _OTHER_SIGNS)


def _without_lone_dots(atoms: list[Atom]) -> list[Atom]:
    """Without the dots that are lines of their own, four and more of them at one distance after each other."""
    dots = [k for k, a in enumerate(atoms) if a[4] == "."]
    if len(dots) < 4:
        return atoms
    run: list[int] = []
    gone: set[int] = set()
    a = atoms[dots[0]]
    for k in [*dots, -1]:
        b = atoms[k]
        if k < 0 or a[5] == b[5] or abs(b[3] - a[3]) > 1 or not 0 < b[0] - a[0] < 2 * a[6]:
            gone.update(run if len(run) > 3 else ())
            run = []
        run.append(k)
        a = b
    return [a for k, a in enumerate(atoms) if k not in gone] if gone else atoms


def _cut(a: Atom, dots: int) -> Atom:
    """Without its last `dots` characters, which are about a quarter of the font size wide."""
    less = min(dots * 0.27 * a.size, 0.9 * (a.x1 - a.x0))
    return a._replace(text=a.text[:-dots], x1=max(a.x0 + 1.0, a.x1 - less))
