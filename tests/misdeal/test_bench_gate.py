"""The measurement of a still picture measures what it says, here with few of them."""

from misdeal.bench.gate import measure_gate


def test_a_still_picture_is_measured_beside_its_decoding() -> None:
    decoded, gate, watcher = measure_gate(4)
    assert [each.median.endswith(" ms") for each in (decoded, gate, watcher)] == [True] * 3
    assert (decoded.note, gate.note) == ("n = 4", "n = 4")
    assert watcher.note.endswith(" of decoding")
