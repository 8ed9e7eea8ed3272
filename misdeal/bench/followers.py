"""Pages that follow a table, in a process of their own, started by ``pages``.

    python -m misdeal.bench.followers PORT TOKEN PAGES DEAF

Says ``ready`` when all of them listen, and from then on for every statement that a page is told
its number and the time; so many further ones never read.
"""

import asyncio
import sys

from misdeal.clock import stopwatch_ns

SAID = b'"said":"shuffle"'


async def follow(port: int, token: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a stream."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    asked = f"GET /api/v1/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\r\n"
    writer.write(asked.encode())
    return reader, writer


async def tell(reader: asyncio.StreamReader) -> None:
    """Say when each statement came, until the stream ends."""
    count = 0
    while line := await reader.readline():
        if SAID in line:
            sys.stdout.write(f"{count} {stopwatch_ns()}\n")
            count += 1


async def main(port: int, token: str, pages: int, deaf: int) -> None:
    """Follow until the table ends."""
    silent = [await follow(port, token) for _ in range(deaf)]
    lines = [await follow(port, token) for _ in range(pages)]
    for reader, _ in lines:
        while b"snapshot" not in await reader.readline():
            pass
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.gather(*(tell(reader) for reader, _ in lines))
    del silent


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
