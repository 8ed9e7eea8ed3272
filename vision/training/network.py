"""The two networks: one finds corner indices in a picture, the other reads a crop of one."""

from torch import Tensor, nn
from torch.nn import functional as f

# Channels of what the finder gives, at a quarter of its input's resolution. Lengths are in pixels
# of the input: logarithms of index height and card width; vectors from the cell's middle to the
# index and, divided by 16, to the middle of the card.
HEAT, COS, SIN, HIGH, WIDE, OFFSET, CENTRE, GROUND = (
    0,
    1,
    2,
    3,
    4,
    slice(5, 7),
    slice(7, 9),
    slice(9, 12),
)
FOUND = 12

CROP_H, CROP_W = 48, 32
RANKS, SUITS = 15, 5
"""13 ranks, joker, none; four suits, none."""


def _conv(inputs: int, outputs: int, stride: int = 1, size: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class _Mix(nn.Module):
    """Looks around in each channel, then across channels; adds to what was known."""

    def __init__(self, channels: int, size: int) -> None:
        super().__init__()
        self.around = nn.Conv2d(channels, channels, size, 1, size // 2, groups=channels)
        self.across = _conv(channels, channels, size=1)

    def forward(self, x: Tensor) -> Tensor:
        mixed: Tensor = x + self.across(self.around(x))
        return mixed


class _Deepen(nn.Module):
    """Adds to what was known what a look around gives."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.around = _conv(channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        deeper: Tensor = x + self.around(x)
        return deeper


class Finder(nn.Module):
    """Picture in, a map of corner indices and of faces and backs out.

    Input (n, 3, height, width), blue-green-red from 0 to 255, sides divisible by 16.
    Output (n, 12, height / 4, width / 4).
    """

    def __init__(self, widths: tuple[int, int, int, int] = (8, 20, 40, 64)) -> None:
        super().__init__()
        a, b, c, d = widths
        self.stem = nn.Sequential(nn.BatchNorm2d(3), _conv(3, a, 2), _conv(a, b, 2))
        self.eighth = nn.Sequential(_conv(b, c, 2), _Deepen(c))
        self.sixteenth = nn.Sequential(_conv(c, d, 2), _Deepen(d), _Deepen(d), _Deepen(d))
        self.up8 = nn.Conv2d(d, c, 1)
        self.join8 = _Deepen(c)
        self.up4 = nn.Conv2d(c, b, 1)
        self.join4 = _Deepen(b)
        self.head = nn.Conv2d(b, FOUND, 1)

    def forward(self, x: Tensor) -> Tensor:
        quarter = self.stem(x)
        eighth = self.eighth(quarter)
        wide = self.up8(self.sixteenth(eighth))
        eighth = self.join8(eighth + f.interpolate(wide, scale_factor=2.0, mode="nearest"))
        high = self.up4(eighth)
        quarter = self.join4(quarter + f.interpolate(high, scale_factor=2.0, mode="nearest"))
        found: Tensor = self.head(quarter)
        return found


class Reader(nn.Module):
    """Upright crop of an index in, rank and suit out, and how the crop lay.

    Input (n, 3, 48, 32), blue-green-red from 0 to 255.
    Output (n, 24): 15 logits of the rank, 5 of the suit; then where the index really is, in shares
    of the crop's own height: to the right, down, the logarithm of its size, its turn in radians.
    """

    def __init__(self, widths: tuple[int, int, int, int] = (16, 32, 64, 96)) -> None:
        super().__init__()
        a, b, c, d = widths
        self.body = nn.Sequential(
            nn.BatchNorm2d(3),
            _conv(3, a),
            _conv(a, b, 2),
            _Mix(b, 3),
            _conv(b, c, 2),
            _Mix(c, 3),
            _Mix(c, 3),
            _conv(c, d, 2),
            _Mix(d, 3),
        )
        self.head = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.2), nn.Linear(d * 6 * 4, RANKS + SUITS + 4)
        )

    def forward(self, x: Tensor) -> Tensor:
        read: Tensor = self.head(self.body(x))
        return read
