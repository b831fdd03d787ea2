"""What kind of document the words on its first pages make it."""

from __future__ import annotations

import re

_PATTERNS = {
    "10-K": r"\bform\s*10-?\s?k(?:/a)?\b|annual report pursuant to section 13",
    "10-Q": r"\bform\s*10-?\s?q\b|quarterly report pursuant to section 13",
    "8-K": r"\bform\s*8-?\s?k\b|current report pursuant to section 13",
    "20-F": r"\bform\s*20-?\s?f\b",
    "proxy statement": r"\bschedule\s*14a\b|\bproxy statement\b",
    "prospectus": r"\bprospectus\b|招股(?:意向|说明)书|募集说明书",
    "interim report": r"半年度报告|季度报告|中期报告|\b(?:interim|half-year|quarterly)\s+report\b",
    "annual report": r"年度报告|年报|\bannual\s+report\b",
    "decision": r"(?:处罚|行政|处分|仲裁|复议)[\u4e00-\u9fff]{0,6}(?:决定书|裁决书)",
    "court filing": (r"起诉状|答辩状|上诉状|\bcomplaint for\b|\bdefen[cs]e of the defendants?\b|\bmotion (?:to|for)\b"),
    "judgment": (
        r"判决书|裁定书|调解书|\bopinion of the court\b"
        r"|\b(?:plaintiff|appellant|petitioner)s?\b[\s\S]{0,400}\b(?:v\.|vs\.?|defendants?|respondents?)\b"
    ),
    "contract": (
        r"合同|协议书|\bthis\s+(?:[a-z]+\s+){0,4}(?:agreement|contract|lease)\b"
        r"|\b(?:agreement|contract) (?:is )?(?:made|entered)\b|\bby and (?:between|among)\b"
    ),
    "regulation": (
        r"(?:条例|办法|规定|规则|细则|通知|章程|中华人民共和国[\u4e00-\u9fff]{1,20}法)\s*(?:$|\n|（|\()"
        r"|\b(?:directive|regulation) \((?:eu|ec)\)|\bcode of federal regulations\b|\bbe it enacted\b"
    ),
    "paper": r"(?:^|\n)\s*(?:abstract\b|摘\s*要)",
    "notice": r"通知书|告知书|公告\s*(?:$|\n)",
    "letter": (
        r"(?:^|\n)(?:dear\s+(?:sir|madam|mr|ms|mrs|dr)\b|尊敬的[^，。\n]{1,20}[：:])"
        r"|(?:^|的)(?:复|贺|感谢)?(?:函|信)\s*(?:$|\n)"
    ),
    "report": r"报告|\breport\b",
}
DOCTYPES = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _PATTERNS.items()}
"""The kinds by name, the more telling first."""

_ITEMS_10K = r"item\s+(?:5\W+market for (?:the )?registrant|1b\W+unresolved staff|7a?\W+management[’']s discussion)"
_ITEMS_10Q = r"item\s+2\W+management[’']s discussion"
"""Items that only one form has under these numbers: a filing that lost its cover is known by them."""

_OPENINGS = {
    **{
        form: re.compile(
            rf"(?:^|\n)\W*form\s*{form[:-1]}\s?{form[-1]}(?:/a)?\W*(?:$|\n)|{said} pursuant to section 13"
            rf"|\bthis (?:{said} on )?form {form}|(?:^|\n){listed}",
            re.IGNORECASE,
        )
        for form, said, listed in (
            ("10-K", "annual report", _ITEMS_10K),
            ("10-Q", "quarterly report", _ITEMS_10Q),
            ("8-K", "current report", r"item\W+\d\.\d\d\W+[A-Z]"),
        )
    },
    "proxy statement": re.compile(
        r"(?:^|\n)\W*(?:(?:definitive|preliminary|joint|\d{4}|notice of (?:annual|special) meeting[^\n]{0,60}) )*"
        r"proxy statement\W*(?:\d{1,3}\W*)?(?:$|\n)|\bschedule\s*14a\b|\bthis proxy statement\b",
        re.IGNORECASE,
    ),
    "contract": re.compile(
        r"甲\s*方[\s\S]{0,400}乙\s*方|(?:^|\n)[^\n，。]{0,16}(?:合同|协议书?)\s*(?:$|\n)"
        r"|\bthis\s+(?:[a-z]+\s+){0,4}(?:agreement|contract|lease)\b"
        r"|\b(?:agreement|contract) (?:is )?(?:made|entered)\b|\bby and (?:between|among)\b",
        re.IGNORECASE,
    ),
    "judgment": re.compile(
        r"(?:^|\n)[^\n，。]{0,16}(?:判决书|裁定书|调解书)\s*(?:$|\n)|\bopinion of the court\b"
        r"|\b(?:plaintiff|appellant|petitioner)s?\b[\s\S]{0,400}\b(?:v\.|vs\.?|defendants?|respondents?)\b",
        re.IGNORECASE,
    ),
}
"""What tells these kinds in a text that is not titled so: others speak of forms, contracts and judgments too."""

_FORM = re.compile(r"^\W*form\s*(10-?\s?k|20-?\s?f)(?:/a)?\W*$", re.IGNORECASE | re.MULTILINE)
"""A form that stands on a line of its own, as on the cover of an annual report that is also a filing."""

_ONLY_IN_TITLES = frozenset(
    {"report", "court filing", "decision", "regulation", "prospectus", "annual report", "notice"}
)
"""Words that any document may use: they tell its kind only in the title."""


_SIGNS = {
    "proxy statement": ("14a", "proxy statement"),
    "prospectus": ("prospectus", "招股", "募集"),
    "interim report": ("报告", "interim", "half-year", "quarterly"),
    "annual report": ("年度报告", "年报", "annual"),
    "decision": ("书",),
    "court filing": ("状", "complaint for", "of the defendant", "motion"),
    "judgment": ("书", "opinion of the court", "plaintiff", "appellant", "petitioner"),
    "contract": ("合同", "协议", "甲", "agreement", "contract", "lease", "by and"),
    "paper": ("abstract", "摘"),
    "notice": ("通知书", "告知书", "公告"),
    "letter": ("dear", "尊敬", "函", "信"),
}
"""What a text of these kinds has in small letters: looked for first, as most texts have nothing of it."""

_NUMBERED_FORM = re.compile(r"form\s*\d|pursuant to section 13|\bitem\s+\d")
"""The same for those that have a form's number for a name."""


_ABOUT = re.compile(r"[\s\S]*关于[\s\S]*(?=的[\u4e00-\u9fff]{1,12}\s*$)")
"""What a Chinese title says a document is about; its kind comes last: 关于X合同的公告 is no contract."""


def doctype_of(title: str, opening: str) -> str:
    """The kind of a document by its title, else by its opening text; empty if neither tells."""
    head = opening[:1500]
    about = _ABOUT.match(title)
    titled = title[about.end() :] if about else title
    for name, pattern in DOCTYPES.items():
        if pattern.search(titled):
            form = _FORM.search(head) if name == "annual report" else None
            return ("10-K" if "k" in form[1].lower() else "20-F") if form else name
    low = opening.lower()
    forms = _NUMBERED_FORM.search(low) is not None
    for name, pattern in DOCTYPES.items():
        if name in ("report", "regulation") or not (any(s in low for s in _SIGNS[name]) if name in _SIGNS else forms):
            continue
        tells = _OPENINGS.get(name, pattern)
        if tells.search(head if name in _ONLY_IN_TITLES else opening):
            return name
    return ""
