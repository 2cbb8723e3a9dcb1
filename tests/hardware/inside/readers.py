"""readers.py PROGRAM [WORD…] - what the program makes of a USB reader that is plugged in and pulled out, in the guest.

The host holds the reader's plug and the tag: `host` asks it, and waits until it has done so. The kernel's USB stack,
udev, pcscd and the CCID driver are those of the system.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import v4l2
from pcsc import Context
from report import case, play, tell, until, want

PROGRAM, *WORDS = sys.argv[1:]
SHARE = Path("/mnt")
ASKED = []


def host(what):
    """Asks the host to do something: `plug`, `unplug`, `on`, `off`. Its answer is returned."""
    answer = SHARE / f"answer-{len(ASKED)}"
    ASKED.append(what)
    tell(ask=what, answer=answer.name)
    said = json.loads(until(lambda: answer.exists() and answer.read_text(), 20, f"the host to {what}"))
    want("error" not in said, said)
    return said


def start_system():
    """Starts what a machine with a USB reader runs: the drivers of USB, udev and pcscd."""
    v4l2.load("xhci-pci")
    Path("/run/udev").mkdir()
    udev = Path(os.environ["GUEST_ROOT"]) / "bin/udevadm"
    subprocess.run(["bash", "-c", 'exec -a systemd-udevd "$0" --daemon', udev], check=True)
    until(lambda: Path("/run/udev/control").exists(), 10, "udev")
    Path("/run/pcscd").mkdir()
    # Of the machine's own configuration nothing is used: it may name virtual readers.
    configuration = Path("/run/reader.conf")
    configuration.touch()
    log = open("/run/pcscd.log", "w")  # noqa: SIM115 - the daemon's, to the end of the guest
    subprocess.Popen(["pcscd", "--foreground", "--info", "--config", configuration], stdout=log, stderr=log)
    until(lambda: Path("/run/pcscd/pcscd.comm").exists() and Context().error == 0, 15, "pcscd")


# ── the ground on which the cases stand ──


@case
def ground_a_usb_reader_comes_and_goes():
    context = Context()
    want(context.readers() == [], context.readers())
    host("plug")
    name = until(context.readers, 10, "the reader")[0]
    want("CCID Interface" in name, name)
    want(not context.has_card(name), "a card lies on it")
    host("on")
    until(lambda: context.has_card(name), 10, "the card")
    host("off")
    until(lambda: not context.has_card(name), 10, "the card to be gone")
    host("unplug")
    until(lambda: not context.readers(), 10, "the reader to be gone")


start_system()
play(WORDS)
