"""Cameras of the kernel, and the tools that set them up: `vivid`, a camera with every fault at a command, and
`v4l2loopback`, a camera that shows what another program writes into it."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from report import until, want

HERE = Path(__file__).resolve().parent
NODE = "/dev/video0"
# One camera that is a webcam: one node for capture, one input, none of the nodes for metadata and output.
WEBCAM = ("n_devs=1", "node_types=0x1", "num_inputs=1", "input_types=0")
TELEVISION = (*WEBCAM[:3], "input_types=1")
HDMI = (*WEBCAM[:3], "input_types=3")


def command(*words, seconds=20):
    """Runs a tool and gives its output; a tool that fails fails the case."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds)
    want(done.returncode == 0, f"{' '.join(words)}: exit {done.returncode}: {done.stdout.strip()}")
    return done.stdout


def load(module, *parameters):
    """Loads a module of the kernel that `prepare` unpacked."""
    command("modprobe", "-d", os.environ["GUEST_ROOT"], module, *parameters)


def is_loaded(module):
    """Whether the kernel has it."""
    return os.path.exists(f"/sys/module/{module}")


def unload(module):
    """Takes a module away, which takes its cameras away."""
    if is_loaded(module):
        # A child that was just ended may still hold the node for a moment.
        until(lambda: subprocess.run(["rmmod", module], stderr=subprocess.DEVNULL).returncode == 0, 5, f"rmmod {module}")


@contextmanager
def vivid(*parameters, node=NODE):
    """The kernel's virtual camera, from here to the end of the block."""
    unload("vivid")
    load("vivid", *(parameters or WEBCAM))
    try:
        until(lambda: os.path.exists(node), 5, node)
        yield
    finally:
        unload("vivid")


@contextmanager
def loopback():
    """A virtual camera named Loop Cam, without anybody who feeds it."""
    unload("vivid")
    load("v4l2loopback", "devices=1", "exclusive_caps=1", "card_label=Loop Cam")
    try:
        until(lambda: os.path.exists(NODE), 5, NODE)
        yield
    finally:
        unload("v4l2loopback")


@contextmanager
def fed(fourcc, width, height, *frames, rate=10):
    """Feeds the virtual camera with these files, one frame each, round and round; see `feed.py`."""
    words = [sys.executable, "-S", "-E", HERE / "feed.py", NODE, fourcc, width, height, rate, *frames]
    feeding = subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, text=True)
    try:
        ready = feeding.stdout.readline()
        want(ready.startswith("ready"), f"the feed ended: {ready}")
        yield feeding
    finally:
        feeding.kill()
        feeding.wait()


DRIVER = Path("/sys/bus/platform/drivers/vivid")


def pull_out():
    """Takes the camera from its driver, as a pulled cable does, whoever has it open."""
    (DRIVER / "unbind").write_text("vivid.0")
    until(lambda: not os.path.exists(NODE), 5, f"{NODE} to go")


def plug_in():
    """Gives it back."""
    (DRIVER / "bind").write_text("vivid.0")
    until(lambda: os.path.exists(NODE), 5, NODE)


def control(name, value=1):
    """Sets a control of the camera, or presses a button."""
    command("v4l2-ctl", "-d", NODE, "-c", f"{name}={value}")


def set_format(fourcc, width=640, height=360):
    """Leaves the camera set to a format, as another program would."""
    command("v4l2-ctl", "-d", NODE, f"--set-fmt-video=width={width},height={height},pixelformat={fourcc}")


def set_rate(rate):
    """Leaves the camera set to a rate."""
    command("v4l2-ctl", "-d", NODE, f"--set-parm={rate}")


def current():
    """The format and the rate to which the camera is set, in v4l2-ctl's words."""
    return command("v4l2-ctl", "-d", NODE, "--get-fmt-video", "--get-parm")


@contextmanager
def streaming_elsewhere():
    """Another program has the camera's picture."""
    words = ["v4l2-ctl", "-d", NODE, "--stream-mmap", "--stream-count=1000000", "--stream-to=/dev/null"]
    other = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # Only the owner of the buffers may set the format now; asked with the size it has, so that nothing changes.
        ask = ["v4l2-ctl", "-d", NODE, "--set-fmt-video=width=320,height=180"]
        until(lambda: "busy" in subprocess.run(ask, stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True).stdout, 10, "busy")
        yield other
    finally:
        other.kill()
        other.wait()


def is_held():
    """Whether anybody holds the camera: the driver counts it, also buffers that are mapped."""
    try:
        return Path("/sys/module/vivid/refcnt").read_text() != "0\n"
    except OSError:
        return False


def holders(node=NODE):
    """The processes that have the node open: pairs of number and name."""
    held = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            files = [os.readlink(f"/proc/{process}/fd/{fd}") for fd in os.listdir(f"/proc/{process}/fd")]
            if node in files:
                held.append((int(process), Path(f"/proc/{process}/comm").read_text().strip()))
        except OSError:
            # It ended while it was looked at.
            continue
    return held
