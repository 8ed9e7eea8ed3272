"""What the documents tell a reader to type or to open is there."""

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def mentions(pattern: str) -> list[str]:
    """Return what stands in code in the documents and begins as the pattern says, once each."""
    code = [
        piece
        for document in DOCUMENTS
        for fence, inline in re.findall(
            r"```\w*\n(.*?)```|`([^`\n]+)`", document.read_text(encoding="utf-8"), flags=re.DOTALL
        )
        for piece in (fence.splitlines() or [inline])
    ]
    return sorted({found[1] for piece in code if (found := re.match(pattern, piece.strip()))})


@cache
def targets() -> frozenset[str]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return frozenset(re.findall(r"^([a-z]+):(?!=)", makefile, flags=re.MULTILINE))


@pytest.mark.parametrize("script", mentions(r"(?:\w+=\S+ )?\./(\w+)"))
def test_a_script_that_is_named_can_be_run(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)


@pytest.mark.parametrize("target", mentions(r"make (\w+)"))
def test_a_target_that_is_named_can_be_made(target: str) -> None:
    assert target in targets()


@pytest.mark.parametrize("command", mentions(r"misdeal ((?:[a-z]+ ?)+)(?<! )"))
def test_a_command_that_is_named_explains_itself(command: str) -> None:
    told = subprocess.run(
        [Path(sys.executable).with_name("misdeal"), *command.split(), "--help"],
        capture_output=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr


def links() -> list[tuple[Path, str]]:
    return [
        (document, link)
        for document in DOCUMENTS
        for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8"))
        if "://" not in link
    ]


@pytest.mark.parametrize(("document", "link"), links())
def test_a_link_leads_somewhere(document: Path, link: str) -> None:
    name, _, anchor = link.partition("#")
    target = document.parent / name if name else document
    assert target.exists()
    text = target.read_text(encoding="utf-8") if target.suffix == ".md" else ""
    titles = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in titles}
    assert not anchor or anchor in anchors


def test_the_documents_name_the_two_commands_of_a_newcomer() -> None:
    assert {"run", "test"} <= set(mentions(r"\./(\w+)"))
