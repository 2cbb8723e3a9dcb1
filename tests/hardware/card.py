"""A contactless tag on the guest's USB reader: the other end of QEMU's `ccid-card-passthru` (its VSCard protocol).

QEMU emulates the reader down to the USB packets; the tag is one of tests/readers/tags.py.
"""

import argparse
import socket
import struct
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "readers"))
import tags  # noqa: E402

INIT, ERROR, READER_ADD, _, ATR, CARD_REMOVE, APDU, FLUSH, FLUSH_DONE = range(1, 10)
HEADER = struct.Struct(">III")
VERSION = b"VSCD" + struct.pack(">II", 2, 0)


class Card:
    """One tag, which is put on and taken off by `on` and `off`. `apdus` counts what it answered.

    `hold(n)` makes it answer so many more commands and keep silent at the next; `held` is set when that one has come.
    """

    def __init__(self, path, *described):
        parser = argparse.ArgumentParser()
        tags.options(parser)
        self.tag = tags.make(parser.parse_args(described))
        self.lock, self.lies, self.open, self.apdus = threading.RLock(), False, True, 0
        self.hold_at, self.held = None, threading.Event()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.added = threading.Event()
        self.send(INIT, VERSION)
        threading.Thread(target=self.serve, daemon=True).start()
        if not self.added.wait(10):
            raise TimeoutError("QEMU did not take the card's reader")

    def send(self, kind, payload=b""):
        self.socket.sendall(HEADER.pack(kind, 0, len(payload)) + payload)

    def on(self):
        """Puts the tag on the reader."""
        with self.lock:
            if not self.lies:
                self.tag.power()
                self.send(ATR, self.tag.atr)
            self.lies = True

    def off(self):
        """Takes it off."""
        with self.lock:
            if self.lies:
                self.send(CARD_REMOVE)
            self.lies = False

    def hold(self, more):
        """Keeps silent when so many more commands were answered."""
        with self.lock:
            self.hold_at = self.apdus + more

    def close(self):
        """Ends the connection."""
        with self.lock:
            self.open = False
            self.socket.shutdown(socket.SHUT_RDWR)
            self.socket.close()

    def serve(self):
        received = b""
        while data := self.receive():
            received += data
            while len(received) >= HEADER.size:
                kind, _, length = HEADER.unpack_from(received)
                end = HEADER.size + length
                if len(received) < end:
                    break
                message, received = received[HEADER.size : end], received[end:]
                self.take(kind, message)

    def receive(self):
        try:
            return self.socket.recv(65536)
        except OSError:
            return b""

    def take(self, kind, message):
        with self.lock:
            if not self.open:
                return
            if kind == INIT:
                self.send(READER_ADD, b"tag\0")
            elif kind == ERROR:
                # Code 0: the reader that we added is there.
                self.added.set()
            elif kind == APDU and self.lies and self.apdus == self.hold_at:
                self.held.set()
            elif kind == APDU and self.lies:
                self.apdus += 1
                self.send(APDU, self.tag.answer(message))
            elif kind == FLUSH:
                self.send(FLUSH_DONE)
