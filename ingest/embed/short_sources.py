"""Open texts from which the training texts of the short question model are made (see `train_short`).

| what | licence |
|---|---|
| UDA: filings and Wikipedia pages as indexed, every other question of fin, tat and feta | CC BY-SA 4.0 |
| CMRC 2018: every other article, its paragraphs, questions and answers | CC BY-SA 4.0 |
| filings made by this project, as indexed; its lists of words and names; its questions and silver sentences | its own |
| tables of US authorities (ICDAR 2013) | public domain |
| FinRE and SanWen; Re-DocRED | MIT; MIT, of Wikipedia's CC BY-SA |
| loan agreements, WNUT17, wikigold | CC BY 3.0, 4.0, 4.0 |
| Debian's libreoffice-help-en-us and -zh-cn, gnome-user-docs, debian-reference-zh-cn | MPL-2.0, CC BY-SA 3.0, GPL-2+ |
| Debian's gnucash-common, kmymoney-common: Chinese translations, charts of accounts | GPL-2+ |
| Debian's wordnet-base: words and their meanings | WordNet 3.0 licence |
| the dictionary of jieba | MIT |

Left out so that they can tell what was learnt: the other half of each set's questions, CMRC's other articles, and all
of MMLongBench, whose documents are for measuring only.
"""

from __future__ import annotations

import csv
import gettext
import html
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from h3cold.ingest.embed.short_texts import Pools, sentences
from h3cold.ingest.store.reader import ColdStore

_HAN = re.compile(r"[一-鿿]")
_PROJECT = Path(__file__).parents[2]
_MONEY = re.compile(r"\d.*(元|%|percent|million|billion)|^[$\d.,% ]+$|\d{4}$|[/\\]")
_PEOPLE = ("PER", "ORG", "PERSON", "COMPANY", "person", "company", "organization")


class _Found(NamedTuple):
    """Texts of both languages, mixed: `glosses` and `words` are of dictionaries, `labels` of programs."""

    prose: list[str]
    glosses: list[str]
    terms: list[str]
    words: list[str]
    labels: list[str]
    glossary: list[str]
    names: list[str]
    questions: list[str]


def read_pools(data: Path, stores: Sequence[Path], packages: Path) -> Pools:
    """What texts are made of.

    Args:
        data: the folder of the benchmark sets.
        stores: UDA's and the made filings' cold stores.
        packages: the folder into which the Debian packages were unpacked (`dpkg-deb -x`).

    Raises:
        OSError: a source is missing.
        StoreError: a store cannot be read.
    """
    found = _Found([], [], [], [], [], [], [], [])
    _stores(found, stores)
    _sets(found, data)
    _ner(found, data)
    _packages(found, packages / "usr" / "share")
    _own(found)
    return _pools(found)


def learnt_questions(data: Path) -> set[str]:
    """Questions of the benchmark sets that are among the texts: what they tell of the model says nothing of others.

    Raises:
        OSError: a set is missing.
    """
    found = [asked["question"] for paragraph in _paragraphs(data) for asked in paragraph["qas"]]
    return {*found, *_uda_questions(data)}


def _paragraphs(data: Path) -> Iterator[dict[str, Any]]:
    """Those of CMRC's articles that are learnt from, each with its article's title."""
    path = data / "cmrc2018" / "squad-style-data" / "cmrc2018_trial.json"
    for article in json.loads(path.read_text("utf-8"))["data"][::2]:
        yield from ({**paragraph, "title": article["title"]} for paragraph in article["paragraphs"])


def _uda_questions(data: Path) -> Iterator[str]:
    for name in ("feta", "fin", "tat"):
        with (data / "uda" / "dataset" / "qa" / f"{name}_qa.csv").open(encoding="utf-8", newline="") as file:
            yield from [row["question"] for row in csv.DictReader(file, delimiter="|")][::2]


def _stores(f: _Found, stores: Sequence[Path]) -> None:
    for path in stores:
        store = ColdStore.open(path)
        rows = store.table("blocks").to_table(columns=["kind", "text", "headings", "caption"]).to_pylist()
        for row in rows:
            f.terms.extend(row["headings"] or [])
            if row["caption"]:
                f.prose.append(row["caption"])
            if row["kind"] == "passage":
                f.prose.extend(sentences(row["text"]))
                continue
            labels = [re.split(r"[|\t]| {2,}|\d", x)[0].strip(" .:—-|$") for x in row["text"].splitlines()]
            f.terms.extend(x for x in labels if 3 < len(x) < 80)
        made = "filings" in path.parts
        for row in store.table("entities").to_table().to_pylist():
            if made or (row.get("type") or row.get("kind") or "") in _PEOPLE:
                f.names.append(row.get("name") or "")


def _sets(f: _Found, data: Path) -> None:
    for paragraph in _paragraphs(data):
        f.prose.extend(sentences(paragraph["context"]))
        f.terms.append(paragraph["title"])
        for asked in paragraph["qas"]:
            f.questions.append(asked["question"])
            f.terms.extend(a["text"] for a in asked["answers"] if len(a["text"]) < 15)
    f.questions.extend(_uda_questions(data))
    import pymupdf

    for path in sorted((data / "icdar2013_tables").rglob("*.pdf")):
        with pymupdf.open(path) as document:
            for page in document:
                for text in (" ".join(block[4].split()) for block in page.get_text("blocks")):
                    if len(text) > 60:
                        f.prose.extend(sentences(text))
                    elif len(text) > 4 and not re.search(r"\d", text):
                        f.terms.append(text)


def _ner(f: _Found, data: Path) -> None:
    for name in ("FinRE", "SanWen"):
        for line in (data / "finre_sanwen" / "data" / name / "valid.txt").read_text("utf-8").split("\n"):
            cells = line.rstrip("\n").split("\t") if name == "FinRE" else line.strip().split("\t")
            if len(cells) == 4:
                f.prose.extend(sentences(cells[3]))
                f.names.extend(cells[:2] if name == "FinRE" else [])
    for document in json.loads((data / "redocred" / "data" / "dev_revised.json").read_text("utf-8")):
        f.prose.extend(_joined(s).replace("( ", "(") for s in document["sents"])
        f.names.extend(e[0]["name"] for e in document["vertexSet"] if e[0]["type"] in ("PER", "ORG", "LOC"))
    for path in sorted((data / "en_ner" / "data").rglob("*")):
        if path.is_file() and "CONLL" in str(path):
            words: list[str] = []
            for line in path.read_text("utf-8", errors="replace").split("\n"):
                if line.strip():
                    words.append(line.split()[0])
                    continue
                if 5 < len(words) < 60:
                    f.prose.append(_joined(words))
                words = []


def _joined(words: Iterable[str]) -> str:
    return re.sub(r" ([.,;:)'])", r"\1", " ".join(words))


def _packages(f: _Found, share: Path) -> None:
    for path in sorted((share / "libreoffice" / "help").rglob("*.html")):
        text = _untagged(path)
        parts = [" ".join(part.split()) for part in text.split("\n\n")]
        f.labels.extend(p for p in parts if 2 < len(p) < 40 and not p.endswith((".", "。")))
        f.prose.extend(sentences(text))
    pages = [p for p in (share / "help").rglob("*.page") if "/C/" in str(p) or "/zh_CN/" in str(p)]
    for path in [*sorted(pages), *sorted((share / "debian-reference").glob("*.html"))]:
        f.prose.extend(sentences(_untagged(path)))
    for kind in ("noun", "verb", "adj", "adv"):
        for line in (share / "wordnet" / f"data.{kind}").read_text("utf-8").split("\n"):
            if " | " not in line or line.startswith("  "):
                continue
            head, gloss = line.split(" | ", 1)
            fields = head.split()
            f.words.extend(fields[4 + 2 * k].replace("_", " ") for k in range(min(2, int(fields[3], 16))))
            f.glosses.extend(g for g in (g.strip(' "\n') for g in gloss.split(";")) if len(g) > 12)
    for name in ("gnucash", "kmymoney"):
        with (share / "locale" / "zh_CN" / "LC_MESSAGES" / f"{name}.mo").open("rb") as file:
            catalog: dict[Any, str] = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        for key, said in catalog.items():
            for text in (key if isinstance(key, str) else key[0], said):
                text = " ".join(re.sub(r"<[^>]+>|%\d*\$?[a-z]|[&_\\]", " ", text).split())
                if 3 < len(text) < 40:
                    f.labels.append(text)
                elif len(text) >= 40:
                    f.prose.extend(sentences(text))
    for folder in ("zh_CN", "C"):
        for path in (share / "gnucash" / "accounts" / folder).glob("*"):
            f.terms.extend(re.findall(r"<act:(?:name|description)>([^<]+)<", path.read_text("utf-8")))


def _untagged(path: Path) -> str:
    text = path.read_text("utf-8", errors="replace")
    text = re.sub(r"(?s)<(script|style|head|nav)\b.*?</\1>", " ", text)
    text = re.sub(r"</(p|h\d|li|td|th|div|title|tr|dd|dt)>", "\n\n", text)
    return html.unescape(re.sub(r"<[^>]+>", "", text)).replace("Title is: ", "")


def _own(f: _Found) -> None:
    import jieba

    from h3cold.kg.silver_zh import silver

    for line in _lines(_PROJECT / "recall" / "glossary.txt"):
        f.glossary.extend(x.strip() for x in line.split("|") if x.strip())
    f.terms.extend(f.glossary)
    for name in ("measures", "roles", "trades_zh", "tails_zh", "industries_zh", "generic_zh", "generic_en"):
        between = r"[| ]" if name.endswith("zh") or name == "roles" else r"\|"
        for line in _lines(_PROJECT / "kg" / f"{name}.txt"):
            f.terms.extend(x.strip() for x in re.split(between, line) if len(x.strip()) > 1)
    for name in ("companies", "agencies", "places", "countries_en", "listed_zh"):
        for line in _lines(_PROJECT / "kg" / f"{name}.txt"):
            found = re.split(r"[| ]" if name == "listed_zh" else r"\|", line)
            f.names.extend(x.strip() for x in found if len(x.strip()) > 1)
    rows = [line.split() for line in (Path(jieba.__file__).parent / "dict.txt").read_text("utf-8").splitlines()]
    often = [(word, tag) for word, count, tag in rows if int(count) > 20]
    f.words.extend(w for w, t in often if len(w) > 1 and t[0] in "nvalijz" and t[:2] not in ("nr", "ns", "nt"))
    f.names.extend(w for w, t in often if t in ("nt", "ns"))
    f.names.extend([w for w, t in often if t == "nr" and len(w) > 2][:3000])
    for one in silver(3, 6, held_out=False):
        f.prose.append(one.text)
        f.names.extend(one.text[a:b] for a, b, _ in one.names)
    for row in map(json.loads, (_PROJECT / "recall" / "intents.jsonl").read_text("utf-8").splitlines()):
        if not row["held_out"]:
            f.questions.append(row["query"])


def _lines(path: Path) -> Iterator[str]:
    return (line for line in path.read_text("utf-8").splitlines() if not line.startswith("#"))


def _pools(f: _Found) -> Pools:
    """Prose is 7 in 10 of running text, the rest meanings of words; terms are labels, words and glossary 3 : 2 : 1."""
    prose = _weighed(f.prose, f.glosses, least=6, most=400, share=0.7)
    terms = _weighed(f.terms, f.words, least=2, most=69, share=0.6)
    for own, labels, glossary in zip(terms, _both(f.labels, 3), _both(f.glossary, 2), strict=True):
        random.Random(5).shuffle(labels)
        own.extend(labels[: len(own) // 6])
        own.extend(glossary * round(len(own) * 0.2 / len(glossary)))
    names = _weighed([n for n in f.names if not _MONEY.search(n)], [], least=2, most=49, share=0.5)
    asked = _both(f.questions, 3, plain=False)
    return Pools(prose[0], prose[1], terms[0], terms[1], names[0], names[1], asked[0], asked[1])


def _weighed(near: list[str], far: list[str], *, least: int, most: int, share: float) -> list[list[str]]:
    """Of each language all texts, those `near` as often again as makes them this share."""
    out = []
    short = [[x for x in texts if len(x) <= most] for texts in (near, far)]
    for own, rest in zip(_both(short[0], least), _both(short[1], least), strict=True):
        times = max(1, round(share * len(rest) / (1 - share) / max(1, len(own))))
        out.append(own * times + rest)
    return out


def _both(texts: Iterable[str], least: int, *, plain: bool = True) -> tuple[list[str], list[str]]:
    """The different ones, English and Chinese, sorted; `plain` leaves out other scripts and signs."""
    found = sorted({t.strip() for t in texts if len(t.strip()) >= least and (not plain or all(map(_known, t)))})
    chinese = [t for t in found if len(_HAN.findall(t)) > len(t) * 0.25]
    return [t for t in found if len(_HAN.findall(t)) <= len(t) * 0.25], chinese


def _known(c: str) -> bool:
    ranges = (("\0", "\u024f"), ("\u2000", "\u20ff"), ("一", "鿿"), ("\u3000", "\u301f"), ("\uff00", "\uff5f"))
    return any(first <= c <= last for first, last in ranges)
