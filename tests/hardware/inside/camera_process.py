"""What the camera's process makes of cameras: asked step by step, as the program asks it, with faults between the steps."""

import os
import statistics
import time
from contextlib import contextmanager
from pathlib import Path

import v4l2
from child import child
from colours import bars_of, want_bars
from program import PROGRAM, SHARE
from report import case, figure, until, want
from v4l2 import NODE, command

# What the kernel's camera writes into its picture: all, only the time, nothing.
NO_TEXT = 2
# The size of pictures for aiming.
AIMING = (320, 180)
# How often times are taken; the median counts.
TURNS = 30


# ── what is listed ──


def listed(**how):
    """The cameras that the program lists."""
    with child(PROGRAM, **how) as running:
        cameras, trouble = running.list()
        want(trouble is None, trouble)
        return cameras


def trouble_of(camera):
    """The kind of what is wrong with a listed camera."""
    return (camera.get("trouble") or {}).get("kind")


@case
def a_webcam_is_listed_with_its_formats():
    want(listed() == [], "there are cameras")
    with v4l2.vivid():
        (camera,) = listed()
        want((camera["name"], camera["node"], camera["bus"]) == ("vivid", NODE, "platform:vivid-000"), camera)
        want(trouble_of(camera) is None, camera)
        codes = {f["fourcc"] for f in camera["formats"]}
        want({"YUYV", "UYVY", "NV12", "RGB3", "BGR3", "GREY"} <= codes, codes)
        want(v4l2.holders() == [], "it is held open after the listing")


@case
def nodes_that_are_no_cameras_are_not_listed():
    # One of everything: capture, output, two for VBI, two for metadata, radio, touch.
    with v4l2.vivid("n_devs=1"):
        nodes = sorted(Path("/dev").glob("video*"))
        want(len(nodes) >= 4, nodes)
        cameras = listed()
        want([camera["card"] for camera in cameras] == ["vivid"], cameras)
        want("Video Capture" in command("v4l2-ctl", "-d", cameras[0]["node"], "--info"), cameras)


@case
def files_with_names_of_cameras_do_no_harm():
    strange = [Path("/dev/videofoo"), Path("/dev/video77")]
    for path in strange:
        path.write_text("no camera")
    try:
        with v4l2.vivid():
            want([camera["name"] for camera in listed()] == ["vivid"], listed())
    finally:
        for path in strange:
            path.unlink()


@case
def two_that_are_alike_have_names_of_their_own():
    with v4l2.vivid("n_devs=2", "node_types=0x1,0x1", "num_inputs=1,1", "input_types=0,0"):
        until(lambda: os.path.exists("/dev/video1"), 5, "the second camera")
        buses = [camera["bus"] for camera in listed()]
        want(buses == ["platform:vivid-000", "platform:vivid-001"], buses)


@case
def several_planes_are_explained():
    with v4l2.vivid(*v4l2.WEBCAM, "multiplanar=2"):
        (camera,) = listed()
        want(trouble_of(camera) == "multiplanar", camera)


@case
def a_virtual_camera_that_nobody_feeds_is_explained():
    with v4l2.loopback():
        (camera,) = listed()
        want((camera["name"], trouble_of(camera)) == ("Loop Cam", "noFormats"), camera)


@case
def a_camera_without_permission_is_explained():
    with v4l2.vivid():
        os.chown(NODE, 0, 44)
        os.chmod(NODE, 0o660)
        (camera,) = listed(user=65534)
        want(camera.get("trouble") == {"kind": "noPermission", "group": "video"}, camera)


# ── frames ──


def shot(running, fourcc, width=1280, height=720):
    """Opens the one camera there is and takes a picture: its answer and its pixels. The camera is closed then."""
    opened(running, fourcc, width, height)
    return running.frame("full")


def opened(running, fourcc, width=1280, height=720):
    """Opens the one camera there is."""
    cameras, _ = running.list()
    want(len(cameras) == 1, cameras)
    answer = running.open(cameras[0], fourcc, width, height)
    want(answer["is"] == "opened" and answer["fourcc"] == fourcc, answer)


def want_picture(answer, pixels, width=1280, height=720, **how):
    """Fails the case unless it is a picture of the bars in this size."""
    want(answer["is"] == "frame", answer)
    want((answer["width"], answer["height"]) == (width, height), answer)
    return want_bars(pixels, width, height, stride=answer["stride"], **how)


def colours_of(fourcc):
    with v4l2.vivid(), child(PROGRAM) as running:
        want_picture(*shot(running, fourcc))


@case
def colours_of_yuyv():
    colours_of("YUYV")


@case
def colours_of_uyvy():
    colours_of("UYVY")


@case
def colours_of_nv12():
    colours_of("NV12")


@case
def colours_of_rgb3():
    colours_of("RGB3")


@case
def colours_of_bgr3():
    colours_of("BGR3")


@case
def shades_of_grey():
    with v4l2.vivid():
        v4l2.set_format("GREY", 1280, 720)
        raw = Path("/run/grey")
        command("v4l2-ctl", "-d", NODE, "--stream-mmap", "--stream-count=1", f"--stream-to={raw}")
        shades = bars_of(bytes(b for b in raw.read_bytes() for _ in range(3)), 1280, 720)
        with child(PROGRAM) as running:
            want_picture(*shot(running, "GREY"), expected=shades)


@case
def every_size_is_delivered_as_it_is_listed():
    with v4l2.vivid():
        v4l2.control("osd_text_mode", NO_TEXT)
        (camera,) = listed()
        for fourcc in ("YUYV", "NV12"):
            for size in {(f["width"], f["height"]) for f in camera["formats"] if f["fourcc"] == fourcc and f["width"] <= 1280}:
                with child(PROGRAM) as running:
                    want_picture(*shot(running, fourcc, *size), *size)


@case
def mjpeg_with_and_without_tables():
    with v4l2.loopback():
        for name in ("bars.jpg", "no-tables.jpg"):
            with v4l2.fed("MJPG", 1280, 720, SHARE / name), child(PROGRAM) as running:
                want_picture(*shot(running, "MJPG"))


@case
def mjpeg_of_another_size_than_was_said():
    with v4l2.loopback(), v4l2.fed("MJPG", 1280, 720, SHARE / "small.jpg"), child(PROGRAM) as running:
        want_picture(*shot(running, "MJPG"), 640, 480)


@case
def damaged_mjpeg_is_dropped_and_whole_ones_come_through():
    frames = [SHARE / "bars.jpg", f"{SHARE}/bars.jpg@9000", SHARE / "noise.jpg", f"{SHARE}/no-tables.jpg@15000"]
    with v4l2.loopback(), v4l2.fed("MJPG", 1280, 720, *frames, rate=20), child(PROGRAM) as running:
        answer, pixels = shot(running, "MJPG")
        # A slow machine sees few of the frames: which ones is chance.
        dropped, left = 0, 40
        while dropped < 3 and left:
            want_picture(answer, pixels)
            dropped, left = dropped + answer["raw"]["dropped"], left - 1
            answer, pixels = shot(running, "MJPG")
        want(dropped >= 3, f"{dropped} dropped")


@case
def nothing_but_damaged_mjpeg_is_said():
    frames = [f"{SHARE}/bars.jpg@9000", SHARE / "noise.jpg"]
    with v4l2.loopback(), v4l2.fed("MJPG", 1280, 720, *frames, rate=20), child(PROGRAM) as running:
        answer, _ = shot(running, "MJPG")
        want(answer["is"] == "failed" and answer["trouble"]["kind"] == "damaged", answer)


@case
def nv12_in_buffers_of_whole_pages():
    with v4l2.loopback():
        for name in ("bars.nv12", "padded.nv12"):
            with v4l2.fed("NV12", 1280, 720, SHARE / name), child(PROGRAM) as running:
                want_picture(*shot(running, "NV12"))


# ── what other programs left ──


@case
def a_rate_of_12_5_that_was_left_set_is_reset():
    with v4l2.vivid():
        v4l2.set_format("YUYV", 640, 360)
        v4l2.set_rate("12.5")
        want("12.500" in v4l2.current(), v4l2.current())
        with child(PROGRAM) as running:
            want_picture(*shot(running, "YUYV", 640, 360), 640, 360)


@case
def uyvy_that_was_left_set_is_reset():
    with v4l2.vivid():
        v4l2.set_format("UYVY", 1280, 720)
        want("UYVY" in v4l2.current(), v4l2.current())
        with child(PROGRAM) as running:
            want_picture(*shot(running, "YUYV"))


@case
def a_busy_camera_is_listed_as_such_and_free_after():
    with v4l2.vivid():
        (before,) = listed()
        with v4l2.streaming_elsewhere() as other:
            (camera,) = listed()
            holder = {"kind": "busy", "holders": [f"v4l2-ctl (pid {other.pid})"]}
            want(camera.get("trouble") == holder, camera)
            with child(PROGRAM) as running:
                answer = running.open(before, "YUYV", 1280, 720)
                want(answer["is"] == "failed" and answer["trouble"] == holder, answer)
        with child(PROGRAM) as running:
            want_picture(*shot(running, "YUYV"))


# ── what goes wrong meanwhile ──


@contextmanager
def streaming(fourcc="YUYV"):
    """A camera process that has given one good picture."""
    with v4l2.vivid(), child(PROGRAM) as running:
        opened(running, fourcc)
        want_picture(*running.frame(), *AIMING)
        yield running


def failure(running):
    """What the process says instead of a picture; a few may still come before it."""
    for _ in range(8):
        answer, _ = running.frame()
        if answer["is"] == "failed":
            return answer["trouble"]["kind"]
    return "pictures"


def kind_is(kind, *expected):
    want(kind in expected, f"{kind}, expected {' or '.join(expected)}")


@case
def unplugged_in_the_middle_and_plugged_in_again():
    for pull in (lambda: v4l2.control("disconnect"), v4l2.pull_out):
        for fourcc in ("YUYV", "UYVY"):
            with streaming(fourcc) as running:
                pull()
                kind_is(failure(running), "unplugged")
                want(listed() == [], listed())
    with v4l2.vivid(), child(PROGRAM) as running:
        want_picture(*shot(running, "YUYV"))


@case
def a_camera_plugged_in_anew_elsewhere_is_found_again():
    with v4l2.vivid():
        (camera,) = listed()
    # Another device has its number now.
    v4l2.load("v4l2loopback", "devices=1", "exclusive_caps=1", "card_label=Loop Cam", "video_nr=0")
    try:
        v4l2.load("vivid", *v4l2.WEBCAM)
        until(lambda: os.path.exists("/dev/video1"), 5, "/dev/video1")
        with child(PROGRAM) as running:
            opened = running.open(camera, "YUYV", 1280, 720)
            want(opened["is"] == "opened", opened)
            want_picture(*running.frame("full"))
    finally:
        v4l2.unload("vivid")
        v4l2.unload("v4l2loopback")


@case
def frames_that_the_driver_calls_damaged_are_dropped():
    with streaming("UYVY") as running:
        v4l2.control("inject_v4l2_buf_flag_error")
        for _ in range(6):
            want_picture(*running.frame(), *AIMING)


@case
def a_fatal_error_while_streaming_is_told():
    with streaming() as running:
        v4l2.control("inject_fatal_streaming_error")
        kind_is(failure(running), "connection")


@case
def errors_at_the_start_are_told_and_do_not_last():
    for error in ("streamon", "reqbufs", "qbuf"):
        with v4l2.vivid():
            (camera,) = listed()
            v4l2.control(f"inject_vidioc_{error}_error")
            with child(PROGRAM) as running:
                answer = running.open(camera, "YUYV", 1280, 720)
                answer = answer if answer["is"] == "failed" else running.frame("full")[0]
                want(answer["is"] == "failed" and answer["trouble"], f"{error}: {answer}")
            with child(PROGRAM) as running:
                want_picture(*shot(running, "YUYV"))


@case
def a_feed_that_ends_is_told():
    with v4l2.loopback(), v4l2.fed("MJPG", 1280, 720, SHARE / "bars.jpg") as feeding, child(PROGRAM) as running:
        opened(running, "MJPG")
        want_picture(*running.frame(), *AIMING)
        feeding.kill()
        kind_is(failure(running), "noFrames", "connection", "unplugged")


# ── times ──


def seconds_of(function):
    # What the kernel still clears up after the last process is not this one's.
    time.sleep(0.05)
    start = time.monotonic()
    function()
    return time.monotonic() - start


@case
def from_the_key_to_the_first_picture():
    """Beside a whole run of v4l2-ctl, in turns, so that both have the same machine."""
    with v4l2.vivid():
        (camera,) = listed()
        v4l2.set_format("YUYV", 1280, 720)

        def theirs():
            command("v4l2-ctl", "-d", NODE, "--stream-mmap", "--stream-count=1")

        def ours():
            with child(PROGRAM) as running:
                running.open(camera, "YUYV", 1280, 720)
                answer, _ = running.frame("preview")
                want(answer["is"] == "frame", answer)

        pairs = [(seconds_of(theirs), seconds_of(ours)) for _ in range(TURNS)]
    for name, times in zip(("v4l2-ctl, a whole run for one picture", "our process, from its start to the first picture for aiming"), zip(*pairs)):
        figure(f"{name}, median", statistics.median(times) * 1000, "ms")
        figure(f"{name}, fastest", min(times) * 1000, "ms")
    # What else the machine does adds to both, never takes away: the fastest of each are what they need.
    peer, own = (min(times) for times in zip(*pairs))
    figure("key to first picture, ratio of the fastest", own / peer, "(at most 1.5)")
    want(own <= 1.5 * peer, f"{own * 1000:.0f} ms beside {peer * 1000:.0f} ms")


# ── other inputs ──


def picture_of_input(*parameters):
    """A picture of another kind of input, in the size that its signal has."""
    with v4l2.vivid(*parameters):
        (camera,) = listed()
        size = next((f["width"], f["height"]) for f in camera["formats"] if f["fourcc"] == "YUYV")
        with child(PROGRAM) as running:
            want_picture(*shot(running, "YUYV", *size), *size)
    return size


@case
def a_television_input_gives_a_picture():
    want(picture_of_input(*v4l2.TELEVISION) == (720, 576), "another size")


@case
def an_hdmi_input_gives_a_picture():
    # Its colours are those of Rec. 709, which the driver says.
    want(picture_of_input(*v4l2.HDMI) == (1280, 720), "another size")
