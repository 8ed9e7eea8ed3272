"""How the simulated camera sees the simulated table: exactly, as it paints it itself."""

from hw_fixtures.picture.layout import FULL_HD, SPOTS, VIEW_MM, outline
from vision.calibrate import Calibration


def calibration(size_wh_px: tuple[int, int] = FULL_HD) -> Calibration:
    """Return the calibration of the simulated camera.

    Args:
        size_wh_px: How large its pictures are.
    """
    width, height = map(float, size_wh_px)
    return Calibration(
        picture_wh_px=size_wh_px,
        size_mm=VIEW_MM,
        corners_px=((0.0, 0.0), (width, 0.0), (width, height), (0.0, height)),
        zones={place: outline(place) for place in SPOTS},
        card_mm=(63.0, 88.0),
    )
