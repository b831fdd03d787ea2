"""Write the example PDFs into a folder: `python examples/make.py OUT`.

Annual reports, a contract, a regulation, a paper and two scanned letters in English and Chinese, about the same
fictional companies; one file that needs the password "h3-example", and one that is cut off in the middle.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from example_docs import annual_en, annual_zh, contract_zh, damaged, letters, paper_en, questions, regulation_zh

from h3cold.ingest.generated.truth import Truth


def make_examples(folder: Path) -> Truth:
    """Write every example into `folder` (made if missing) and say what they hold.

    The bytes are the same on every run, but for the encrypted file's.
    """
    folder.mkdir(parents=True, exist_ok=True)
    report = annual_en.build()
    files = [report, annual_zh.build(), contract_zh.build(), regulation_zh.build(), paper_en.build(), *letters.build(),
             damaged.encrypted(), damaged.truncated(*report)]  # fmt: skip
    for data, document in files:
        (folder / document.file).write_bytes(data)
    documents = tuple(document for _, document in files)
    return Truth(documents, questions.questions(documents), questions.facts(documents))


def main() -> int:
    """Write the examples to the folder named on the command line."""
    parser = argparse.ArgumentParser(prog="python examples/make.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("out", metavar="OUT", type=Path, help="the folder, made if missing")
    out = parser.parse_args().out
    truth = make_examples(out)
    for document in truth.documents:
        kept = (
            " (password: " + document.password + ")" if document.password else " (cut off)" if document.broken else ""
        )
        print(f"{out / document.file}: {len(document.pages)} pages{kept}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
