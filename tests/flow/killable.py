"""A controller to be killed. For each line on its input it forks; the fork goes on with the
journal and shows what happens, as fast as it can. Run by test_kill.py with a table file and the
events; forking saves imports and rule book each time.
"""

import asyncio
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine.events import AnyEvent
from misdeal.app import App, attend
from misdeal.clock import Clock
from misdeal.journal import JournalReader
from misdeal.lines import print_json
from misdeal.tablefile import Layout, load


async def go_on(layout: Layout, events: Sequence[AnyEvent]) -> None:
    """Go on with the journal and with the events that it has not yet."""
    moment = [0]

    def start_clock(not_before_ns: int) -> Clock:
        moment[0] = not_before_ns
        return lambda: moment[0]

    async def feed(app: App) -> None:
        with JournalReader(layout.journal) as reader:
            kept = [record.body for record in reader.records() if record.kind == "event"]
        last = msgspec.json.decode(kept[-1], type=AnyEvent) if kept else None
        for event in events[events.index(last) + 1 if last else 0 :]:
            moment[0] = event.at_ns
            app.controller.offer(event)
            await asyncio.sleep(0)
        await app.controller.say("")  # refused, when the journal has everything before it

    await attend(layout, print_json, feed, start_clock=start_clock, rng=random.Random(1))


def main() -> None:
    layout = load(Path(sys.argv[1]))
    events = msgspec.json.decode(Path(sys.argv[2]).read_bytes(), type=list[AnyEvent])
    for _ in sys.stdin:
        pid = os.fork()
        if not pid:
            tell({"kind": "begun", "pid": os.getpid()})
            asyncio.run(go_on(layout, events))
            os._exit(0)
        status = os.waitpid(pid, 0)[1]
        tell({"kind": "over", "status": os.waitstatus_to_exitcode(status)})


def tell(line: dict[str, object]) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
    sys.stdout.flush()


main()
