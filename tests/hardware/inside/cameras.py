"""cameras.py PROGRAM [WORD…] - what the program makes of cameras, in the guest; started by `run`.

First that the guest's own cameras are what the cases take them for, looked at with v4l2-ctl; then the camera's process;
then the whole program.
"""

from pathlib import Path

import v4l2
from colours import want_bars
from program import SHARE, WORDS
from report import case, play, want
from v4l2 import NODE, command


# ── the ground on which the cases stand ──


@case
def ground_vivid_shows_the_bars():
    with v4l2.vivid():
        v4l2.set_format("RGB3", 1280, 720)
        raw = Path("/run/ground.rgb")
        command("v4l2-ctl", "-d", NODE, "--stream-mmap", "--stream-count=1", f"--stream-to={raw}")
        want_bars(raw.read_bytes(), 1280, 720)


@case
def ground_the_loopback_shows_what_it_is_fed():
    with v4l2.loopback():
        want("Video Capture" not in command("v4l2-ctl", "-d", NODE, "--info"), "it is a camera without a feed")
        with v4l2.fed("MJPG", 1280, 720, SHARE / "bars.jpg"):
            raw = Path("/run/ground.jpg")
            command("v4l2-ctl", "-d", NODE, "--stream-mmap", "--stream-count=1", f"--stream-to={raw}")
        want(raw.read_bytes().startswith((SHARE / "bars.jpg").read_bytes()), "another picture came out")


@case
def ground_a_busy_camera_names_its_holder():
    with v4l2.vivid():
        want(v4l2.holders() == [] and not v4l2.is_held(), v4l2.holders())
        with v4l2.streaming_elsewhere() as other:
            want(v4l2.holders() == [(other.pid, "v4l2-ctl")] and v4l2.is_held(), v4l2.holders())
        want(not v4l2.is_held(), "its driver counts somebody who is gone")


# In this order; each registers its cases.
import camera_process  # noqa: E402, F401
import camera_program  # noqa: E402, F401
import camera_screen  # noqa: E402, F401

play(WORDS)
