"""What the whole program makes of cameras: `agentcall devices`, and a photo that an agent gets."""

import json
import statistics
import subprocess
import time
from pathlib import Path

import v4l2
from colours import BARS, read_ppm, want_bars
from light import LIGHT_OFF_SECONDS, light
from program import SHARE, agent, running, said
from report import case, figure, until, want
from v4l2 import NODE

# ── agentcall devices ──


def probe(camera="vivid", code=0, seconds=30):
    """The `probe` line of one picture from a camera."""
    lines = said("devices", "--probe", "--json", "--camera", camera, seconds=seconds, code=code)
    probes = [line["probe"] for line in lines if "probe" in line]
    want(len(probes) == 1, lines)
    return probes[0]


def wrong(record, *words):
    """Fails the case unless something is wrong that is told with these words, and how to mend it."""
    trouble = record.get("trouble") or {}
    want(all(word in trouble.get("text", "") for word in words) and trouble.get("hint"), record)


@case
def devices_lists_cameras_and_misses_what_is_named_and_not_there():
    with v4l2.vivid():
        found = [line["found"] for line in said("devices", "--json", "--camera", "vivid") if "found" in line]
        want([(f["sort"], f["name"], f["node"]) for f in found] == [("camera", "vivid", NODE)], found)
        said("devices", "--json", "--camera", "no such camera", code=6)


@case
def devices_explains_what_is_wrong_with_a_camera():
    with v4l2.loopback():
        (found,) = (line["found"] for line in said("devices", "--json", "--camera", "Loop Cam") if "found" in line)
        wrong(found, "no program feeds it")


@case
def a_probe_tells_format_size_and_times():
    sizes = {"YUYV": 1843200, "UYVY": 1843200, "NV12": 1382400, "RGB3": 2764800, "BGR3": 2764800, "GREY": 921600}
    with v4l2.vivid():
        for fourcc, size in sizes.items():
            record = probe(f"vivid@{fourcc} 1280x720")
            frame = record["frame"]
            want((frame["fourcc"], frame["width"], frame["height"], frame["bytes"]) == (fourcc, 1280, 720, size), record)
            times = [time["us"] for time in record["times"]]
            want(len(times) == 6 and times == sorted(times), record)


@case
def a_camera_that_gives_no_pictures_costs_one_line():
    with v4l2.vivid():
        v4l2.control("percentage_of_dropped_buffers", 100)
        start = time.monotonic()
        wrong(probe(code=6), "no picture came")
        want(time.monotonic() - start < 12, "it took too long")
        until(lambda: not v4l2.holders(), 1, "the camera to be let go")


@case
def a_busy_camera_names_who_uses_it():
    with v4l2.vivid(), v4l2.streaming_elsewhere() as other:
        wrong(probe(code=6), f"v4l2-ctl (pid {other.pid})")


@case
def pulled_out_between_probes_and_plugged_in_again():
    with v4l2.vivid(), running("devices", "--probe", "--json", "--camera", "vivid", "--repeat", "1000") as program:
        good = lambda line: line.get("probe", {}).get("ok") is True  # noqa: E731
        bad = lambda line: line.get("probe", {}).get("ok") is False  # noqa: E731
        program.line(good, 20, "picture")
        v4l2.pull_out()
        _, line = program.line(bad, 20, "trouble")
        wrong(line["probe"], "unplugged")
        v4l2.plug_in()
        program.line(good, 20, "picture after it was plugged in again")


@case
def watching_tells_what_comes_and_goes():
    with running("devices", "--watch", "--json") as program:
        program.line(lambda line: "found" in line, 20, "device")

        def change(what):
            return lambda line: line.get("change", {}).get("what") == what and line["change"]["name"] == "vivid"

        with v4l2.vivid():
            _, line = program.line(change("added"), 10, "added camera")
            want(line["change"]["device"]["node"] == NODE, line)
            want(not v4l2.holders(), "watching holds the camera")
        program.line(change("removed"), 10, "removed camera")
        program.interrupt()


# ── times and the light ──


@case
def the_light_is_off_after_a_probe():
    late, closing, first = [], [], []
    with v4l2.vivid(), light() as watched:
        for _ in range(5):
            with running("devices", "--probe", "--json", "--camera", "vivid") as program:
                at, line = program.line(lambda line: "probe" in line, 20, "probe")
                want(line["probe"]["ok"], line)
                program.finish(10)
            want(watched.last_on() is not None, "the light was never on")
            late.append(watched.last_on() - at)
            times = {time["what"]: time["us"] / 1e6 for time in line["probe"]["times"]}
            closing.append(times["closed"] - times["picture"])
            first.append(times["first_usable"])
    figure("light off after the line that tells of the picture, latest", max(0, *late) * 1000, "ms")
    figure("from the picture to the closed camera, by its own account", statistics.median(closing) * 1000, "ms")
    figure("from the start to the first usable picture, by its own account", statistics.median(first) * 1000, "ms")
    want(max(late) <= LIGHT_OFF_SECONDS, late)


def light_after(end, *words):
    """How long the light is on after `end` has made an end of a camera that gives nothing. `end` gives when that was."""
    with v4l2.vivid(), light() as watched:
        v4l2.control("percentage_of_dropped_buffers", 100)
        with running("devices", "--probe", "--json", "--camera", "vivid", *words) as program:
            armed, _ = program.line(lambda line: "waiting" in line, 20, "armed camera")
            until(lambda: watched.last_on() is not None and watched.last_on() > armed, 20, "the light")
            ended = end(program, armed)
            program.process.wait(20)
            until(lambda: not watched.seen[-1][1], 10, "the light to go off")
        late = watched.last_on() - ended
        want(late <= LIGHT_OFF_SECONDS, f"{late * 1000:.0f} ms")
        return max(0, late) * 1000


@case
def the_light_is_off_after_ctrl_c():
    def interrupt(program, _):
        program.interrupt()
        return time.monotonic()

    figure("light off after Ctrl-C", light_after(interrupt), "ms")


@case
def the_light_is_off_after_the_deadline():
    figure("light off after the deadline", light_after(lambda _, armed: armed + 1.5, "--within", "1.5"), "ms")


# ── a photo that an agent gets ──


def scenario(*steps):
    path = Path("/run/test.agentcall")
    path.write_text("\n".join(steps) + "\n")
    return path


def photo(line):
    """The bars of a kept photo, decoded by libjpeg."""
    want("kept" in line, line)
    ppm = subprocess.run(["djpeg", "-dct", "int", line["kept"]], stdout=subprocess.PIPE, check=True).stdout
    return read_ppm(ppm)


@case
def the_camera_is_open_for_the_photo_and_at_no_other_time():
    album = Path("/run/one")
    album.mkdir()
    with v4l2.vivid(), agent(album) as (origin, _), light() as watched:
        steps = scenario("wait 1s", 'capture camera:"vivid"', 'expect text "I see a photo"', "wait 1s")
        with running("run", origin, steps, "--local", "--json", "--allow", "camera") as program:
            live, _ = program.line(lambda line: line.get("session", {}).get("state") == "live", 30, "session")
            waited, _ = program.line(lambda line: line.get("verb") == "wait", 10, "first wait")
            opened, _ = program.line(lambda line: line.get("device", {}).get("event") == "opened", 10, "open camera")
            shutter, _ = program.line(lambda line: line.get("device", {}).get("event") == "shutter", 10, "shutter")
            closed, _ = program.line(lambda line: line.get("device", {}).get("event") == "closed", 10, "closed camera")
            want(not watched.was_on(live, waited - 0.05), "it was on before")
            want(watched.was_on(opened - 0.05, closed), "it was not on for the photo")
            program.finish(30)
        figure("light off after the shutter", (watched.last_on() - shutter) * 1000, "ms")
        want(watched.last_on() - shutter <= LIGHT_OFF_SECONDS, f"{watched.last_on() - shutter} s")


@case
def an_agent_gets_the_colours_of_every_format():
    album = Path("/run/album")
    album.mkdir(exist_ok=True)
    with v4l2.vivid(), agent(album) as (origin, lines):
        for fourcc in ("YUYV", "UYVY", "NV12", "RGB3", "BGR3"):
            steps = scenario('expect event session.established', 'capture camera:"vivid@%s 1280x720"' % fourcc, 'expect text "I see a photo"')
            said("run", origin, steps, "--local", "--json", "--allow", "camera", seconds=60)
            image = next(line for line in map(json.loads, lines) if line["saw"] == "image")
            width, height, pixels = photo(image)
            want((width, height) == (1024, 576), (width, height))
            want_bars(pixels, width, height, expected=BARS)
