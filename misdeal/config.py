"""The table file's types: every key that ``table.toml`` may hold, with its meaning and default.

What each key means stands here once: the JSON schema, the reference page and the sentences about
missing keys are made from it. What the types cannot say is checked in ``misdeal.tablefile``.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from engine.setup import Game

SeatNumber = Annotated[int, Meta(ge=1, le=10)]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9/_.-]*$")]


class Reader(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reader: one serial port with one or more antennas."""

    name: Annotated[Name, Meta(description="a name for people; letters, digits and `/_.-`")]
    port: Annotated[
        str,
        Meta(
            min_length=1,
            description="its serial port; by `/dev/serial/by-id/...` or `/dev/serial/by-path/...`, "
            "because `ttyUSB0` is whichever adapter was found first",
        ),
    ]
    family: Annotated[str, Meta(description="the family of readers whose bytes it speaks")]
    baud: Annotated[
        Annotated[int, Meta(ge=300, le=4_000_000)] | None,
        Meta(description="speed of the port in bit/s; left out: what the family comes with"),
    ] = None
    identity: Annotated[
        str | None,
        Meta(
            description="what the reader calls itself; given, another one at this port is refused"
        ),
    ] = None
    antennas: Annotated[
        dict[str, str],
        Meta(description='antenna number and the place that it covers: `1 = "S1"`'),
    ]
    codes: Annotated[
        str,
        Meta(
            description="of a shoe that tells codes: the file that says which code is which card, "
            "found from the table file's folder"
        ),
    ] = ""
    reset_on_open: Annotated[
        bool, Meta(description="whether the device starts anew when its port is opened")
    ] = False
    settle_ms: Annotated[
        Annotated[int, Meta(ge=0, le=60_000)],
        Meta(description="how long it is left alone after opening, in milliseconds"),
    ] = 0
    region: Annotated[
        Annotated[int, Meta(ge=0, le=255)] | None,
        Meta(description="the radio region of a UHF reader, as its maker counts"),
    ] = None
    multiplexer: Annotated[
        bool, Meta(description="whether a FEIG's antennas are channels of its multiplexer")
    ] = False
    gate: Annotated[
        bool,
        Meta(
            description="whether it works the gate of the shoe, which shuts by itself when the "
            "controller is not heard for two seconds"
        ),
    ] = False
    lamps: Annotated[
        dict[str, str],
        Meta(
            description="lamp number and the place that it stands at, or `table` for the table's "
            'own: `1 = "table"`'
        ),
    ] = {}


class PackSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A registered pack of cards."""

    name: Annotated[Name, Meta(description="a name for people, such as the colour of the backs")]
    register: Annotated[
        str,
        Meta(
            min_length=1, description="its register; a CSV file, found from the table file's folder"
        ),
    ]


class CameraSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The camera over the table; `misdeal calibrate` tells it where the table lies."""

    source: Annotated[
        str,
        Meta(
            min_length=1,
            description="where its pictures are; `/dev/v4l/by-id/...`, `rtsp://...`, `http://...` "
            "(MJPEG), a film or a folder of pictures",
        ),
    ]
    width: Annotated[
        Annotated[int, Meta(ge=160, le=8192)], Meta(description="of its pictures, in pixels")
    ] = 1920
    height: Annotated[
        Annotated[int, Meta(ge=120, le=8192)], Meta(description="of its pictures, in pixels")
    ] = 1080
    fps: Annotated[
        Annotated[int, Meta(ge=1, le=240)],
        Meta(description="how many pictures a second a USB camera is asked for"),
    ] = 30
    backs: Annotated[
        bool,
        Meta(
            description="whether it tells cards that come to lie face down; where readers count "
            "them, one that it takes for a card too many is an unread card"
        ),
    ] = False
    calibration: Annotated[
        str,
        Meta(
            min_length=1,
            description="what `misdeal calibrate` wrote; found from the table file's folder",
        ),
    ] = "camera.json"
    enrolled: Annotated[
        tuple[str, ...],
        Meta(
            description="the enrolled backs of the packs in use, as `misdeal backs enrol` wrote "
            "them; found from the table file's folder. Left out, no back is compared"
        ),
    ] = ()


class PageSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The page that the controller serves; left out, it is served to this machine alone."""

    serve: Annotated[bool, Meta(description="whether there is a page at all")] = True
    bind: Annotated[
        str,
        Meta(
            min_length=1,
            description="the address that it listens at; `0.0.0.0` for every one of this machine, "
            "which wants a certificate",
        ),
    ] = "127.0.0.1"
    port: Annotated[
        Annotated[int, Meta(ge=0, le=65_535)],
        Meta(description="its port; 0 for any that is free"),
    ] = 8480
    certificate: Annotated[
        str,
        Meta(
            description="the TLS certificate with its chain, a PEM file found from the table "
            "file's folder; left out: no TLS"
        ),
    ] = ""
    key: Annotated[str, Meta(description="the private key of the certificate, a PEM file")] = ""
    people: Annotated[
        str,
        Meta(
            min_length=1,
            description="who may sign in; found from the table file's folder, written by "
            "`misdeal user`",
        ),
    ] = "people.db"


class TableFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table: its game, its seats, its readers and where its journal is kept."""

    config_version: Annotated[
        Literal[1],
        Meta(description="the version of this format; so that old files can be told apart"),
    ]
    name: Annotated[Name, Meta(description="the name of the table; letters, digits and `/_.-`")]
    game: Annotated[Game, Meta(description="the game that is dealt")]
    rulebook: Annotated[
        str,
        Meta(description="the rule book; `misdeal rules list` names them"),
    ]
    jurisdiction: Annotated[
        str,
        Meta(description="a jurisdiction's rules laid over the book; a file's name"),
    ] = ""
    house: Annotated[
        str | dict[str, Any],
        Meta(description="house rules laid over all; a file's name, or a table `[house]` here"),
    ] = {}
    seats: Annotated[
        tuple[SeatNumber, ...], Meta(description="the seats entitled to a hand; clockwise")
    ]
    tableseats: Annotated[
        tuple[SeatNumber, ...], Meta(description="every seat that the table has; left out: `seats`")
    ] = ()
    button: Annotated[
        SeatNumber | None,
        Meta(description="the seat of the button in the first hand; left out: the last of `seats`"),
    ] = None
    dealer: Annotated[
        SeatNumber | None,
        Meta(
            description="where players deal: the seat that deals first; left out: the last of "
            "`seats`"
        ),
    ] = None
    absent: Annotated[
        tuple[SeatNumber, ...], Meta(description="seats that are dealt in while the player is away")
    ] = ()
    penalty: Annotated[
        dict[str, Annotated[int, Meta(ge=1)]],
        Meta(description="seats on penalty and the hands still to serve: `{6 = 3}`"),
    ] = {}
    decks: Annotated[
        int,
        Meta(
            ge=1, le=10, description="packs in the shoe; each is a `[[pack]]`, all in play at once"
        ),
    ] = 1
    actions: Annotated[
        Literal["entered", "none"],
        Meta(
            description="`entered`: somebody enters every betting action; `none`: nobody does, so "
            "substantial action is asked for where it matters"
        ),
    ] = "none"
    camera: Annotated[
        bool | CameraSection,
        Meta(
            description="whether a camera watches the table: a section `[camera]`, or `true` where "
            "somebody else tells what is seen"
        ),
    ] = False
    window_ms: Annotated[
        int,
        Meta(ge=0, le=10_000, description="how far apart two sensors may report one happening"),
    ] = 400
    journal: Annotated[
        str, Meta(min_length=1, description="the journal; found from the table file's folder")
    ] = "journal.db"
    socket: Annotated[
        str,
        Meta(
            min_length=1,
            description="the door through which `misdeal say` speaks; found from the table file's "
            "folder",
        ),
    ] = "misdeal.sock"
    reader: Annotated[
        tuple[Reader, ...], Meta(description="the readers; one `[[reader]]` for each serial port")
    ] = ()
    pack: Annotated[
        tuple[PackSection, ...],
        Meta(description="the registered packs; the first is in play, two alternating are usual"),
    ] = ()
    page: Annotated[PageSection, Meta(description="the page that the controller serves")] = (
        PageSection()
    )
