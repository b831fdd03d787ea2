"""What the example documents hold, as they were set: the answers that parsing and recall are measured against."""

from __future__ import annotations

from dataclasses import dataclass

BBox = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class TruthTable:
    """Cell text by row and column; `spans` lists (row, col, rowspan, colspan), "" in the cells they cover."""

    rows: tuple[tuple[str, ...], ...]
    header_rows: int
    spans: tuple[tuple[int, int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class TruthRegion:
    """One region as set. `kind` is a RegionKind; `bbox` in points, origin top-left; list items stand one a line.

    A figure's `text` is the words inside it; a table's is "" (see `table`). `continues` marks what goes on from
    the column or page before.
    """

    kind: str
    text: str
    bbox: BBox
    level: int | None = None
    table: TruthTable | None = None
    continues: bool = False

    @property
    def words(self) -> str:
        """The region's text, a table's cells included, row by row."""
        if self.table is None:
            return self.text
        return "\n".join(" ".join(cell for cell in row if cell) for row in self.table.rows)


@dataclass(frozen=True, slots=True)
class TruthPage:
    """A page; `number` is 1-based, `regions` in reading order: header, body, footnotes, footer."""

    number: int
    width: float
    height: float
    regions: tuple[TruthRegion, ...]


@dataclass(frozen=True, slots=True)
class TruthDocument:
    """A document. `password` opens it; `broken` marks a file that cannot be read whole, by intent."""

    file: str
    language: str
    title: str
    company: str
    period: str
    doctype: str
    pages: tuple[TruthPage, ...]
    scanned: bool = False
    password: str | None = None
    broken: bool = False

    def find(self, words: str) -> tuple[int, ...]:
        """1-based pages whose body (no header or footer) holds `words`."""
        kinds = ("header", "footer")
        return tuple(p.number for p in self.pages if any(words in r.words for r in p.regions if r.kind not in kinds))


@dataclass(frozen=True, slots=True)
class Place:
    """A 1-based page of a file."""

    file: str
    page: int


@dataclass(frozen=True, slots=True)
class Question:
    """A query with the intent it has and every page that answers it; `language` is the query's own."""

    text: str
    language: str
    intent: str
    answers: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation that the documents state, with the pages that state it; names as printed there."""

    type: str
    head: str
    tail: str
    places: tuple[Place, ...]
    value: str = ""


@dataclass(frozen=True, slots=True)
class Truth:
    """Everything that was made in one folder."""

    documents: tuple[TruthDocument, ...]
    questions: tuple[Question, ...]
    facts: tuple[Fact, ...]

    def document(self, file: str) -> TruthDocument:
        """The document of that file name.

        Raises:
            KeyError: there is none.
        """
        for document in self.documents:
            if document.file == file:
                return document
        raise KeyError(file)

    @property
    def readable(self) -> tuple[TruthDocument, ...]:
        """Documents that open without a password and are whole."""
        return tuple(d for d in self.documents if d.password is None and not d.broken)
