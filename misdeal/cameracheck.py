"""What would go wrong with a table's camera: whether it opens, and is as it was calibrated."""

from collections.abc import Callable

from misdeal.diagnosis import Finding
from vision.camera import grab_one
from vision.errors import CameraError
from vision.seen import Picture
from vision.sources import Wanted
from vision.watching import Task


def check_camera(task: Task, grab: Callable[[Wanted], Picture] = grab_one) -> Finding:
    """Take a picture with the camera of a table, and look at its size.

    Args:
        task: What its process would watch.
        grab: Takes the picture.
    """
    check = "camera"
    try:
        height, width = grab(task.wanted).shape[:2]
    except CameraError as error:
        remedy = "`misdeal devices` tells the cameras that are there, and who holds them"
        return Finding(check=check, state="fault", found=str(error), remedy=remedy)
    wanted = task.calibration.picture_wh_px
    found = f"{task.wanted.source} gives {width}x{height}"
    if (width, height) == wanted:
        return Finding(check=check, state="well", found=f"{found}, as calibrated")
    return Finding(
        check=check,
        state="fault",
        found=f"{found}, was calibrated with {wanted[0]}x{wanted[1]}",
        remedy="set it to the size that it had, or run misdeal calibrate anew",
    )
