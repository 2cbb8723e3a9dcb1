#!/usr/bin/env python3
"""vtag.py: a virtual contactless tag for the vpcd driver of pcscd.

  vtag.py [--host 127.0.0.1] [--port 35963] [--delay SECONDS] [--start-off] [--rip-after N] [--back SECONDS]
          [--ctl FIFO] [--log] [what the tag is: see --help]

To connect is to put the tag on the reader, to close is to take it off. Commands, one a line, on stdin or the FIFO:
  off            take it off
  on             put it on
  leave          take it off as the daemon looks, so that it has seen it: what is put on next is another tag
  uid HEX        it has another id
  tag OPTIONS    it is another tag: options as on the command line, everything else as by default
  delay SECONDS  what an APDU takes
  rip N [BACK]   N APDUs more are answered; in place of the next answer it is torn away, and comes back after BACK seconds
  rip-next [BACK]  the same with N = 0
  rip-between N [BACK]  it is torn away as soon as N APDUs more are answered, before the next is sent
  hold N         N APDUs more are answered; the next one is not, until `go` or until it is off
  mark WORD      only logs `mark WORD`: everything asked before is done
  quit

--log prints a line for everything that happens, with the time: `on`, `off`, `power up`, `power down`, `power reset`,
`apdu N > COMMAND < ANSWER` with N counted from 1 since the last power-up, `rip N > COMMAND`, `torn N` after the answer N,
`held N > COMMAND`, `closed` when the daemon goes away, `left` when it has left. Removal is seen by the daemon when it looks next, within 400 ms.
"""
import argparse
import math
import os
import select
import shlex
import socket
import stat
import struct
import sys
import time

import tags

POWER = {0: "down", 1: "up", 2: "reset"}
ATR = 4


class Link:
    """The tag, the socket to the driver, and what is to happen next."""

    def __init__(self, said):
        self.said, self.address = said, (said.host, said.port)
        self.tag = tags.make(said)
        self.socket, self.received, self.pending = None, b"", None
        self.on, self.delay, self.rip, self.back = not said.start_off, said.delay, said.rip_after, said.back
        self.returns, self.told_absent = None, False
        self.between, self.hold = -1, -1
        self.leaves, self.powered = False, False

    def log(self, *words):
        if self.said.log:
            print(f"{time.time():.4f}", *words, flush=True)

    # ── on the reader and off it ──

    def put_on(self):
        try:
            self.socket = socket.create_connection(self.address, timeout=5)
        except OSError as error:
            if not self.told_absent:
                self.log("nobody", f"listens: {error}")
            self.told_absent = True
            return
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.answer_at_once()
        self.received, self.pending, self.told_absent, self.powered = b"", None, False, False
        self.log("on")

    def take_off(self, word):
        if self.socket:
            self.socket.close()
            self.log(word)
        self.socket, self.pending = None, None

    def leave(self):
        self.leaves, self.on, self.returns = False, False, None
        self.take_off("off")
        self.log("left")

    def answer_at_once(self):
        # The driver sends length and content apart: delayed acknowledgements would cost 44 ms each.
        if hasattr(socket, "TCP_QUICKACK"):
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    # ── commands ──

    def command(self, line):
        """Does one; returns whether to go on."""
        word, *rest = shlex.split(line)
        if word == "off":
            self.on, self.returns = False, None
            self.take_off("off")
        elif word == "on":
            self.on = True
        elif word == "leave":
            self.leaves = True
            if self.socket is None:
                self.leave()
        elif word == "uid":
            self.said.uid = rest[0]
            self.tag = tags.make(self.said)
        elif word == "tag":
            parser = Commands()
            tags.options(parser)
            vars(self.said).update(vars(parser.parse_args(rest)))
            self.tag = tags.make(self.said)
        elif word == "delay":
            self.delay = float(rest[0])
        elif word in ("rip", "rip-next"):
            self.rip = int(rest.pop(0)) if word == "rip" else 0
            self.back = float(rest[0]) if rest else None
        elif word == "rip-between":
            self.between = int(rest.pop(0))
            self.back = float(rest[0]) if rest else None
        elif word == "hold":
            self.hold = int(rest[0])
        elif word == "go":
            self.hold = -1
            if self.pending:
                self.pending = (0, self.pending[1])
        elif word == "mark":
            self.log("mark", *rest)
        elif word != "quit":
            self.log("unknown", word)
        return word != "quit"

    # ── the driver ──

    def hear(self):
        try:
            data = self.socket.recv(65536)
            self.answer_at_once()
        except OSError:
            data = b""
        if not data:
            self.take_off("closed")
            return
        self.received += data
        while self.socket and len(self.received) >= 2:
            length = struct.unpack(">H", self.received[:2])[0]
            if len(self.received) < 2 + length:
                break
            message, self.received = self.received[2:2 + length], self.received[2 + length:]
            self.take(message)

    def take(self, message):
        if len(message) == 1 and message[0] == ATR:
            # Asked for after a power-up it is wanted; else the daemon looks whether a tag is there.
            looks, self.powered = not self.powered, False
            if self.leaves and looks:
                self.leave()
            else:
                self.send(self.tag.atr)
        elif len(message) == 1 and message[0] in POWER:
            self.log("power", POWER[message[0]])
            self.powered = message[0] != 0
            if self.powered:
                self.tag.power()
        elif self.rip == 0:
            self.rip = -1
            self.log("rip", self.tag.answered + 1, ">", message.hex().upper())
            self.tear()
        elif self.hold == 0:
            self.hold = -1
            self.log("held", self.tag.answered + 1, ">", message.hex().upper())
            self.pending = (math.inf, message)
        else:
            self.rip -= self.rip > 0
            self.hold -= self.hold > 0
            self.pending = (time.monotonic() + self.delay, message)

    def tear(self):
        self.on = False
        self.take_off("off")
        self.returns = None if self.back is None else time.monotonic() + self.back

    def answer(self):
        """Answers the APDU whose time has come."""
        message, self.pending = self.pending[1], None
        answer = self.tag.answer(message)
        self.log("apdu", self.tag.answered, ">", message.hex().upper(), "<", answer.hex().upper())
        self.between -= self.between > 0
        if self.between == 0 and self.socket:
            # Answer and end travel together: whoever has the one has the other, and no command comes in between.
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 0)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
        self.send(answer)
        if self.between == 0:
            self.between = -1
            self.log("torn", self.tag.answered)
            self.tear()

    def send(self, message):
        try:
            self.socket.sendall(struct.pack(">H", len(message)) + message)
        except OSError:
            self.take_off("closed")

    # ── time ──

    def wait(self):
        """Seconds until something is due; `None` where nothing is."""
        due = [at for at in (self.returns, self.pending and self.pending[0]) if at is not None]
        if self.on and self.socket is None:
            due.append(time.monotonic() + 0.05)
        due = [at for at in due if at != math.inf]
        return max(0, min(due) - time.monotonic()) if due else None

    def due(self):
        now = time.monotonic()
        if self.returns is not None and now >= self.returns:
            self.returns, self.on = None, True
        if self.pending and now >= self.pending[0]:
            self.answer()
        if self.on and self.socket is None:
            self.put_on()


class Commands(argparse.ArgumentParser):
    """A slip in a command is said in one line, and ends us: a test that waits then fails at once."""

    def error(self, message):
        sys.exit(f"vtag.py: {message}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--host", default="127.0.0.1")
    add("--port", type=int, default=35963)
    add("--delay", type=float, default=0)
    add("--start-off", action="store_true")
    add("--rip-after", type=int, default=-1)
    add("--back", type=float)
    add("--ctl", metavar="FIFO")
    add("--log", action="store_true")
    tags.options(parser)
    return parser.parse_args()


def main():
    said = arguments()
    control = 0
    if said.ctl:
        if not os.path.exists(said.ctl):
            os.mkfifo(said.ctl)
        control = os.open(said.ctl, os.O_RDWR)
    link, typed, listening = Link(said), b"", True
    while True:
        link.due()
        watched = [end for end in (link.socket, control if listening else None) if end is not None]
        ready, _, _ = select.select(watched, [], [], link.wait())
        if control in ready:
            data = os.read(control, 4096)
            listening = bool(data)
            if not data and stat.S_ISFIFO(os.fstat(control).st_mode):
                return  # whoever held the other end of the pipe is gone
            *lines, typed = (typed + data).split(b"\n")
            if not all(link.command(line.decode()) for line in lines if line.strip()):
                return
        if link.socket in ready:
            link.hear()


if __name__ == "__main__":
    main()
