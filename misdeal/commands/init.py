"""``misdeal init``: a small commented table file to begin with."""

from pathlib import Path

import click

from misdeal.errors import FileExistsAlreadyError

TEMPLATE = """\
# What stands at this table. `misdeal config check` tells every fault; docs/table-file.md has
# every key; keys that are left out have sensible values.
config_version = 1
name = "table-1"
game = "holdem"
rulebook = "tda-2024"              # misdeal rules list
seats = [1, 2, 3, 4, 5, 6, 7, 8, 9]
actions = "none"                   # "entered" where somebody enters every betting action

# One [[reader]] for each serial port, by its lasting name: ls -l /dev/serial/by-id
[[reader]]
name = "dealer"
port = "/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A0000001-if00-port0"
family = "pepper_c1"
[reader.antennas]                  # antenna number = the place that it covers
1 = "shoe"
2 = "board"
3 = "burn"
4 = "muck"
5 = "pack"

[[reader]]
name = "seats"
port = "/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A0000002-if00-port0"
family = "pepper_c1"
[reader.antennas]                  # a seat without a reader is followed from the deal plan
1 = "S1"
2 = "S2"
3 = "S3"

# Two alternating packs are usual; a register is a CSV file with the columns card,tag.
# [[pack]]
# name = "red"
# register = "red.csv"
"""


@click.command(epilog="Example: misdeal init && misdeal config check")
@click.argument("table", type=click.Path(path_type=Path), default="table.toml")
def command(table: Path) -> int:
    """Write a small commented table file, TABLE (table.toml); nothing is overwritten."""
    try:
        with table.open("x", encoding="utf-8") as file:
            file.write(TEMPLATE)
    except FileExistsError as error:
        raise FileExistsAlreadyError(table) from error
    click.echo(f"{table} is written: put your readers and packs in, then misdeal config check")
    return 0
