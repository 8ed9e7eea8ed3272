"""``misdeal decode``: raw reader bytes to frames."""

import re
import sys
from pathlib import Path
from typing import Literal

import click
import msgspec

from firmware_bridge.decoding import Record, decode_stream
from firmware_bridge.families import FAMILIES


@click.command(epilog="Example: misdeal decode --family pepper_c1 --hex 'F5 03 00 FC FF 0B ...'")
@click.argument("file", required=False)
@click.option("--family", required=True, type=click.Choice(list(FAMILIES)), help="Who spoke.")
@click.option("--hex", "digits", multiple=True, help="Bytes in hex; may be given several times.")
@click.option(
    "--direction",
    type=click.Choice(["rx", "tx"]),
    default="rx",
    help="rx: reader to host (the default); tx: host to reader.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a frame or run of noise.")
def command(
    file: str | None,
    family: str,
    digits: tuple[str, ...],
    direction: Literal["rx", "tx"],
    *,
    as_json: bool,
) -> int:
    """Tell the frames in raw bytes: those of FILE (- is standard input), or those of --hex."""
    for record in decode_stream(_bytes(file, digits), FAMILIES[family], direction):
        click.echo(msgspec.json.encode(record) if as_json else _line(record))
    return 0


def _bytes(file: str | None, digits: tuple[str, ...]) -> bytes:
    if (file is None) == (not digits):
        raise click.UsageError("expected either --hex or a FILE")
    if file is None:
        joined = re.sub(r"[\s:,]|0x", "", "".join(digits))
        try:
            return bytes.fromhex(joined)
        except ValueError as error:
            raise click.UsageError("--hex: expected bytes in hex, such as F5 03 00") from error
    return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()


def _line(record: Record) -> str:
    where = f"{record['offset']:>6} {record['length']:>5}"
    if not record["ok"]:
        return f"{where}  no frame: {record['reason']}"
    uids = record["uids"]
    tags = " ".join(uids) if isinstance(uids, list) else ""
    error = f" {record['error']}" if record["error"] else ""
    return f"{where}  {record['kind']} {record['name']}: {record['status']}{error} {tags}".rstrip()
