"""CMRC 2018's paragraphs (Cui et al., 2019) typeset into PDFs of twenty each; its questions with their pages."""

from __future__ import annotations

import json
import random
from pathlib import Path

from h3cold.recall.trials.paper import Paper
from h3cold.schemas.errors import UsageError

PARAGRAPHS = 20
"""Paragraphs of one document: five or six pages."""


def make_cmrc(data: Path, folder: Path, *, titled: bool = False) -> None:
    """Write the PDFs, and questions.jsonl beside them, from a file in SQuAD's format.

    The paragraphs are shuffled (seed fixed), so that those of one article do not stand together, and go on over a
    page's end; with `titled` each stands under its article's title. A question's pages are those that its answer
    stands on; one without a word is left out.

    Raises:
        UsageError: the file is not there or not in that format.
    """
    try:
        articles = json.loads(data.read_text(encoding="utf-8"))["data"]
        paragraphs = [(str(article.get("title", "")), p) for article in articles for p in article["paragraphs"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        raise UsageError(f"{data}: cannot read it as questions in SQuAD's format: {e!r}") from e
    random.Random("cmrc").shuffle(paragraphs)
    folder.mkdir(parents=True, exist_ok=True)
    asked = []
    for number in range(0, len(paragraphs), PARAGRAPHS):
        name = f"wenji_{number // PARAGRAPHS + 1:02d}.pdf"
        paper = Paper(chinese=True, running=lambda page: ("", str(page)))
        for title, paragraph in paragraphs[number : number + PARAGRAPHS]:
            if titled and title:
                paper.heading(title)
            lines = paper.text(" ".join(str(paragraph["context"]).split()), whole=False)
            for question in paragraph["qas"]:
                if not any(c.isalnum() for c in question["question"]):
                    continue  # one of them asks nothing
                answer = question["answers"][0]["text"]
                row = {"id": question["id"], "query": question["question"], "source": name,
                       "pages": _standing(answer, lines)}  # fmt: skip
                asked.append(json.dumps(row, ensure_ascii=False))
        (folder / name).write_bytes(paper.finish(f"文集 第{number // PARAGRAPHS + 1}册"))
    (folder / "questions.jsonl").write_text("\n".join(asked) + "\n", encoding="utf-8")


def _standing(answer: str, lines: list[tuple[int, str]]) -> list[int]:
    """Pages of the lines that an answer runs over; all pages of the paragraph where it is not found as a whole."""
    pages = [page for page, line in lines for _ in _bare(line)]
    at = "".join(_bare(line) for _, line in lines).find(_bare(answer))
    return sorted(set(pages[at : at + len(_bare(answer))] if at >= 0 and _bare(answer) else pages))


def _bare(text: str) -> str:
    return "".join(text.split())
