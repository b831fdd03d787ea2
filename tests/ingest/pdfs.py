"""Small PDFs for tests."""

import pymupdf


def pdf(path, *texts, table=False):
    """A PDF with one line of text a page, and a ruled table on the first page if asked."""
    path.parent.mkdir(parents=True, exist_ok=True)
    doc = pymupdf.open()
    for text in texts:
        page = doc.new_page()
        page.insert_text((72, 90), text, fontsize=11)
        if table and page.number == 0:
            for row in range(4):
                page.draw_line((72, 120 + 20 * row), (272, 120 + 20 * row))
                if row < 3:
                    for col in range(2):
                        page.insert_text((76 + 100 * col, 134 + 20 * row), f"r{row}c{col}", fontsize=9)
            for col in range(3):
                page.draw_line((72 + 100 * col, 120), (72 + 100 * col, 180))
    doc.save(path, no_new_id=True)
    doc.close()
    return path
