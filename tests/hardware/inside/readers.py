"""readers.py PROGRAM [WORD…] - what the program makes of a USB reader that is plugged in and pulled out, in the guest.

The host holds the reader's plug and the tag: `host` asks it, and waits until it has done so. The kernel's USB stack,
udev, pcscd and the CCID driver are those of the system.
"""

import json
import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

import v4l2
from pcsc import Context
from program import SHARE, WORDS, running, said
from report import case, figure, play, tell, until, want

ASKED = []
TECHNOLOGY = "Type 2"


def host(what, *with_what):
    """Asks the host's `Desk` to do something: `plug`, `unplug`, `on`, `off`, … Its answer is returned."""
    answer = SHARE / f"answer-{len(ASKED)}"
    ASKED.append(what)
    tell(ask=what, answer=answer.name, **{"with": with_what})
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


# ── the program ──

READER = "CCID Interface"


@contextmanager
def plugged():
    """The reader is there for the length of the block, with no tag on it."""
    host("plug")
    try:
        until(Context().readers, 10, "the reader")
        yield
    finally:
        host("unplug")
        until(lambda: not Context().readers(), 10, "the reader to be gone")


def change(what):
    return lambda line: line.get("change", {}).get("what") == what and line["change"]["sort"] == "reader"


def probed(line):
    return "probe" in line


def waiting(line):
    return "waiting" in line


@case
def watching_tells_of_a_reader_that_comes_goes_and_comes_again():
    with running("devices", "--watch", "--json") as program:
        program.line(lambda line: line.get("found", {}).get("sort") == "camera" or "found" in line, 20, "device")
        for _ in range(2):
            with plugged():
                _, line = program.line(change("added"), 10, "added reader")
                want(READER in line["change"]["name"], line)
                host("on")
                # Long enough for anything that reads what lies there.
                until(lambda: Context().has_card(Context().readers()[0]), 10, "the card")
                want(host("apdus")["done"] == 0, "the tag was read, and nothing was armed")
                host("off")
            program.line(change("removed"), 10, "removed reader")
        program.interrupt()


@case
def a_tag_is_read_through_usb():
    with plugged(), running("devices", "--probe", "--json", "--reader", READER) as program:
        program.line(waiting, 20, "armed reader")
        host("on")
        _, line = program.line(probed, 20, "probe")
        probe = line["probe"]
        want(probe["ok"] and probe["technology"] == TECHNOLOGY and probe["ndef_bytes"] > 0, probe)
        times = {time["what"]: time["us"] for time in probe["times"]}
        figure("tag read through the USB reader", times["read"] / 1000, "ms")
        figure("of that in APDUs", times["apdus"] / 1000, "ms")
        program.finish(10)
        host("off")


@case
def a_tag_that_lies_there_is_read_at_once():
    with plugged():
        host("on")
        lines = said("devices", "--probe", "--json", "--reader", READER)
        want([line["probe"]["ok"] for line in lines if "probe" in line] == [True], lines)
        host("off")


@case
def a_reader_that_is_pulled_out_while_armed_is_used_when_it_is_back():
    with plugged(), running("devices", "--probe", "--json", "--reader", READER) as program:
        program.line(waiting, 20, "armed reader")
        host("unplug")
        until(lambda: not Context().readers(), 10, "the reader to be gone")
        host("plug")
        until(Context().readers, 10, "the reader")
        host("on")
        _, line = program.line(probed, 20, "probe")
        want(line["probe"]["ok"], line)
        program.finish(10)
        host("off")


@case
def a_reader_that_is_pulled_out_at_any_command_of_a_read_is_told_and_used_when_it_is_back():
    with plugged():
        host("on")
        (whole,) = (line["probe"] for line in said("devices", "--probe", "--json", "--reader", READER) if "probe" in line)
        host("off")
    read = f"{whole['technology']} · NDEF message of {whole['ndef_bytes']} bytes · {len(whole['apdus'])} APDUs"
    for answered in range(len(whole["apdus"])):
        with plugged(), running("devices", "--probe", "--reader", READER) as program:
            host("hold", answered)
            host("on")
            host("until_held")
            host("unplug")
            until(lambda: "was unplugged" in "".join(program.errors), 15, f"the line about it; {program.told()}")
            host("plug")
            until(Context().readers, 10, "the reader")
            host("on")
            program.finish(20)
            host("off")
            want_told_once(program, answered, read)


def want_told_once(program, answered, read):
    """Fails the case unless it told once that the reader was pulled out, after so many answers, and then read the tag whole."""
    told, result = "".join(program.errors), "".join(line for _, line in program.lines)
    want(told.count("was unplugged\n    → plug it in again") == 1, program.told())
    want(told.count("works again") == 1, program.told())
    # The command fails before the daemon knows of the reader; it may be the other way round.
    torn = told.count("torn away")
    want(torn <= 1 and told.count(f"after {answered} APDU") == torn, program.told())
    want(f"{read}{' · 1 torn away on the way' if torn else ''}  " in result, program.told())


start_system()
play(WORDS)
