"""What it costs to judge table scripts, the compiling of their rule books included."""

from pathlib import Path

from engine.performing import judge_script
from engine.rulebook import RuleBook, compile_book, load_book
from engine.script import Script, read_script
from misdeal.bench.figures import Figure
from misdeal.clock import stopwatch_ns

SCRIPTS = 500


def measure_scripts(folder: Path, number: int = SCRIPTS) -> Figure:
    """Measure so many of a folder's scripts, spread over all of it.

    Args:
        folder: Where the scripts are; where it has fewer, they are judged again.
        number: How many.
    """
    paths = sorted(folder.rglob("*.toml"))
    chosen = [
        paths[index * max(len(paths), number) // number % len(paths)] for index in range(number)
    ]
    texts = [(path.name, path.read_text(encoding="utf-8")) for path in chosen]
    books: dict[tuple[str, str | None], RuleBook] = {}
    unmet = lines = 0
    start_ns = stopwatch_ns()
    for name, text in texts:
        script = read_script(text, file=name)
        unmet += bool(judge_script(script, _book(script, name, books)).misses)
        lines += len(script.lines)
    took_s = (stopwatch_ns() - start_ns) / 1e9
    return Figure(
        what=f"{number} scripts judged",
        median=f"{took_s:.2f} s",
        aim="10 s",
        note=f"{lines} lines, {len(books)} books, {unmet} scripts not as expected",
    )


def _book(script: Script, name: str, books: dict[tuple[str, str | None], RuleBook]) -> RuleBook:
    key = (script.rulebook, script.house)
    if key not in books:
        books[key] = compile_book(
            load_book(script.rulebook),
            file=f"{script.rulebook}.toml",
            house=script.house,
            house_file=name,
        )
    return books[key]
