"""A simulated Metratec HF reader of the second generation: AT commands.

``AT+INV`` is answered by ``+INV: uid`` lines, closed by ``OK`` or ``ERROR``; ``AT+CINV`` makes
``+CINV: uid`` lines and ``+CINV: <ROUND FINISHED ANT=n>`` for each round until ``AT+BINV``.

Known from metratec/rfid-sdk-python (read, not used): the commands, that the lines of one answer are
parted by CR and ended by CR LF, the words in angle brackets, the echo of ``ATE1``.

Assumed, no public bytes show it:
    That a tag that was heard and not read is told as ``<COLLISION>`` beside the others.
    That an inventory tells UIDs alone until ``AT+INVS`` asks for details, and what details are.
    That nothing is said at a start.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from hw_fixtures.devices.device import FramedDevice, Heard, Reply, Timing
from hw_fixtures.devices.metratec import measure_line

NO_TAGS, COLLISION = "<NO TAGS FOUND>", "<COLLISION>"


def encode(lines: list[str], closing: str = "") -> bytes:
    """Return the lines of one answer and the word that closes it, as they are sent."""
    body = "\r".join(lines) + "\r\n" if lines else ""
    return f"{body}{closing}\r\n".encode("ascii") if closing else body.encode("ascii")


class MetratecAtReader(FramedDevice):
    """The state of a second-generation reader and its answers; its name is its serial number."""

    TIMING: ClassVar[Timing] = Timing(discovery_ms=15.0, tag_ms=8.0)

    measure = staticmethod(measure_line)

    def restart(self) -> None:
        """Start anew: no echo, antenna 1, all kinds of tags."""
        super().restart()
        self._has_echo = False
        self._settings = {"MOD": "AUTO", "INVS": "0,0,0", "EMX": "0,0,0,0", "CW": "1", "HBT": "0"}
        self._ticks = 0
        self._is_continuous = False

    def obey(self, frame: bytes) -> list[Reply]:
        """Carry out a line."""
        echo = frame + b"\n" if self._has_echo else b""
        word, is_set, value = frame[:-1].decode("ascii").partition("=")
        act = self._ACTS.get(word)
        if act:
            reply = act(self, value)
        else:
            reply = self._keep(word.removeprefix("AT+"), value if is_set else None)
        return [self._say(echo), reply] if echo else [reply]

    def notices(self) -> list[Reply]:
        """Tell a round of a continuous inventory, and beat the heart."""
        said: list[Reply] = []
        self._ticks += 1
        if self._is_continuous:
            heard = self._look([self.antenna])
            lines = [*self._told(heard), f"<ROUND FINISHED ANT={self.antenna}>"]
            data = encode([f"+CINV: {each}" for each in lines])
            said.append(self._tell(data, heard.tags))
        beat_s = int(self._settings["HBT"])
        if beat_s and self._ticks % (10 * beat_s) == 0:
            said.append(self._say(encode(["+HBT"])))
        return said

    def _done(self, *lines: str) -> Reply:
        return self._say(encode([*lines], "OK"))

    def _refused(self, *lines: str) -> Reply:
        return self._say(encode([*lines], "ERROR"))

    def _told(self, heard: Heard) -> list[str]:
        details = ",ISO15,00" if self._settings["INVS"].startswith("1") else ""
        told = [f"{tag}{details}" for tag in heard.tags] + [COLLISION] * (not heard.is_whole)
        return told or [NO_TAGS]

    def _keep(self, name: str, value: str | None) -> Reply:
        """Set or tell a setting."""
        asked = name.removesuffix("?")
        if asked not in self._settings or (value is None) is not name.endswith("?"):
            return self._refused()
        if value is None:
            return self._done(f"+{asked}: {self._settings[asked]}")
        if asked == "HBT" and not value.isdecimal():
            return self._refused("+HBT: <Invalid parameter>")
        self._settings[asked] = value
        self._attend()
        return self._done()

    def _attend(self) -> None:
        self.is_polling = self._is_continuous or self._settings["HBT"] != "0"

    def _hello(self, value: str) -> Reply:
        return self._done()

    def _echo(self, value: str) -> Reply:
        self._has_echo = True
        return self._say(b"ATE1\r\n" + encode([], "OK"))

    def _no_echo(self, value: str) -> Reply:
        self._has_echo = False
        return self._done()

    def _identify(self, value: str) -> Reply:
        return self._done("+SW: DeskID_NFC 0240", "+HW: DeskID_NFC 0100", f"+SERIAL: {self._name}")

    def _set_antenna(self, value: str) -> Reply:
        if not value.isdecimal() or not 1 <= int(value) <= self._antennas:
            return self._refused("+ANT: <Invalid parameter>")
        self.antenna = int(value)
        return self._done()

    def _tell_antenna(self, value: str) -> Reply:
        return self._done(f"+ANT: {self.antenna}")

    def _inventory(self, value: str) -> Reply:
        heard = self._look([self.antenna])
        lines = [f"+INV: {each}" for each in self._told(heard)]
        return self._tell(encode(lines, "OK"), heard.tags)

    def _begin(self, value: str) -> Reply:
        self._is_continuous = True
        self._attend()
        return self._done()

    def _end(self, value: str) -> Reply:
        if not self._is_continuous:
            return self._refused("+BINV: <Inventory is not running>")
        self._is_continuous = False
        self._attend()
        return self._done()

    def _reset(self, value: str) -> Reply:
        return self._say(encode([], "OK"), restarts=True)

    _ACTS: ClassVar[dict[str, Callable[[Any, str], Reply]]] = {
        "AT": _hello,
        "ATE1": _echo,
        "ATE0": _no_echo,
        "ATI": _identify,
        "AT+ANT": _set_antenna,
        "AT+ANT?": _tell_antenna,
        "AT+INV": _inventory,
        "AT+CINV": _begin,
        "AT+BINV": _end,
        "AT+RST": _reset,
    }
