"""The program in a terminal: what is on its screen, and when it drew another picture of the camera."""

import codecs
import fcntl
import os
import pty
import re
import signal
import struct
import termios
import threading
import time
from contextlib import contextmanager

from program import ENVIRONMENT, PROGRAM
from report import until

ROWS, COLUMNS = 40, 140
# Everything that is not text: escape sequences with their parts, titles, charsets, control characters.
TOLD = re.compile(r"\x1b\[([?>=]?)([0-9;:]*)([a-zA-Z])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[=>78()]B?|[\x00-\x1f]")
UNFINISHED = re.compile(r"\x1b(?:\[[?>=]?[0-9;:]*|\][^\x07\x1b]*\x1b?)?$")
# What pictures are drawn with: two pixels.
PIXELS = "▀".encode()
# Each frame ends with the cursor hidden.
FRAME_ENDS = b"\x1b[?25l"


class Screen:
    """What a program has written into a terminal: as much of one as this program needs."""

    def __init__(self):
        self.cells = [[" "] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = 0
        self.modes, self.rest = set(), ""

    def write(self, text):
        text, at = self.rest + text, 0
        unfinished = UNFINISHED.search(text)
        end = unfinished.start() if unfinished else len(text)
        text, self.rest = text[:end], text[end:]
        for told in TOLD.finditer(text):
            self.put(text[at : told.start()])
            self.obey(*told.groups())
            at = told.end()
        self.put(text[at:])

    def put(self, text):
        for letter in text:
            if self.row < ROWS and self.column < COLUMNS:
                self.cells[self.row][self.column] = letter
            self.column += 1

    def obey(self, private, numbers, letter):
        if private == "?" and letter in "hl":
            (self.modes.add if letter == "h" else self.modes.discard)(numbers)
        elif not private and letter == "H":
            row, column = (*(int(number or 1) for number in numbers.split(";")), 1)[:2]
            self.row, self.column = row - 1, column - 1
        elif not private and letter == "J":
            self.cells = [[" "] * COLUMNS for _ in range(ROWS)]

    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.cells)


class Terminal:
    """The program in a pseudo-terminal of its own."""

    def __init__(self, *words):
        self.screen, self.lock = Screen(), threading.Lock()
        # What was written and not looked at yet; when a frame with a changed picture ended.
        self.waiting, self.pictures = bytearray(), []
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        arguments = list(map(str, (PROGRAM, *words)))
        environment = {**ENVIRONMENT, "TERM": "xterm-256color"}
        self.process, self.master = pty.fork()
        if self.process == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
                os.execve(PROGRAM, arguments, environment)
            finally:
                os._exit(127)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        frame = b""
        while True:
            try:
                data = os.read(self.master, 1 << 16)
            except OSError:
                return
            at = time.monotonic()
            with self.lock:
                self.waiting += data
            *ended, frame = (frame + data).split(FRAME_ENDS)
            self.pictures += (at for whole in ended if PIXELS in whole)

    def _look(self):
        """Draws what was written, now that somebody looks: it takes time that nobody has who measures."""
        with self.lock:
            self.screen.write(self.decoder.decode(bytes(self.waiting)))
            self.waiting.clear()
            return self.screen

    def text(self):
        """What is on the screen."""
        return self._look().text()

    def has(self, mode):
        """Whether a mode is set: `1004` reports the focus."""
        return mode in self._look().modes

    def wait_for(self, *words, seconds=20):
        """Waits until all these words stand on the screen."""
        until(lambda: all(word in self.text() for word in words), seconds, f"{words}; {self.text()}")

    def wait_until_gone(self, word, seconds=20):
        """Waits until this no longer stands on the screen."""
        until(lambda: word not in self.text(), seconds, f"{word} to go; {self.text()}")

    def send(self, keys):
        """Types, or says what a terminal says. Gives when that was."""
        at = time.monotonic()
        os.write(self.master, keys.encode())
        return at

    def end(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.master)


@contextmanager
def terminal(*words):
    """The program in a terminal for the length of the block."""
    shown = Terminal(*words)
    try:
        yield shown
    finally:
        shown.end()
