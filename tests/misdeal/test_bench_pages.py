"""The measurement of the page measures."""

import asyncio
from pathlib import Path

from misdeal.bench.pages import measure_pages


def test_every_page_that_reads_is_told_every_statement(tmp_path: Path) -> None:
    page, answer = asyncio.run(measure_pages(tmp_path, 3, 2, statements=4))
    assert page.note == "n = 12"
    assert answer.note == "n = 4"
    assert "3 pages, 2 more that never read" in page.what
