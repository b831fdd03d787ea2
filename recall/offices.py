"""Which office a question asks the holder of, and how well the office that an edge states is that one."""

from __future__ import annotations

import re
from functools import lru_cache

from h3cold.recall.glossary import concepts
from h3cold.recall.understand import tokens_of

OTHER_OFFICE = 0.0
"""What an edge counts that states another office than is asked for: it tells nothing of who holds that one."""

QUALIFIED = 0.5
"""What one counts whose office is a lesser, former or passing one of the kind ("interim chief executive")."""

_HAN_OFFICE = re.compile(
    r"(?:董事会)?秘书|董秘|(?:独立)?董事长?|监事长?|总经理|总裁|首席[一-鿿]{1,4}官|财务(?:总监|负责人)|法定代表人|法人代表|[行校院]长|创始人"
)
_QUALIFIER = re.compile(
    r"\b(?:interim|acting|former|formerly|vice|deputy|assistant|emeritus|co|founding)\b|前任?(?=[一-鿿])|副|代理?|原任?",
    re.IGNORECASE,
)
_PART = re.compile(r"\s*(?:[,;&、，；和及兼]|\band\b)\s*")


def office_fit(value: str, question: str) -> float:
    """0..1: how well the offices of an edge ("President and co-Chief Operating Officer") are one that is asked for.

    1 where the question names none, or the edge states none.
    """
    asked = _offices(question)
    if not asked or not value.strip():
        return 1.0
    wished = frozenset(m.lower() for m in _QUALIFIER.findall(question))
    fit = OTHER_OFFICE
    for part in _PART.split(value):
        tokens = tokens_of(part)
        if any(form <= tokens for form in asked):
            lesser = {m.lower() for m in _QUALIFIER.findall(part)} - wished
            fit = max(fit, QUALIFIED if lesser else 1.0)
    return fit


def says_office(text: str, question: str) -> bool:
    """Whether a text says an office that the question names, in any form."""
    tokens = tokens_of(text)
    return any(form <= tokens for form in _offices(question))


def asks_office(question: str) -> bool:
    """Whether a question names an office."""
    return bool(_offices(question))


@lru_cache(maxsize=256)
def _offices(text: str) -> tuple[frozenset[str], ...]:
    """Tokens of each form of the offices named."""
    named = [m.group() for pattern in (_english(), _HAN_OFFICE) for m in pattern.finditer(text)]
    forms = (form for name in named for form in (name, *(o for c in concepts(name) for o in c.others)))
    return tuple(dict.fromkeys(tokens for form in forms if (tokens := tokens_of(form))))


@lru_cache(maxsize=1)
def _english() -> re.Pattern[str]:
    from h3cold.kg.forms_en import OFFICES

    return re.compile(rf"{OFFICES}|\bchief justice\b|\bprime minister\b", re.IGNORECASE)
