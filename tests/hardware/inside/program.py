"""The program as a person or a script starts it, and what it says."""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from report import want

# From the command line of the script that is run.
PROGRAM, *WORDS = sys.argv[1:]
# The directory that the host sees as well.
SHARE = Path("/mnt")
REPOSITORY = Path(__file__).resolve().parents[3]
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/run", "TMPDIR": "/run", "LC_ALL": "C.UTF-8"}


class Running:
    """The program while it runs. `line` waits for one of its lines; `lines` are those that have come, with times.

    With `--json` they are objects.
    """

    def __init__(self, *words):
        pipe = subprocess.PIPE
        self.words = list(map(str, (PROGRAM, *words)))
        self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, env=ENVIRONMENT)
        self.lines, self.errors, self.seen, self.arrived = [], [], 0, queue.SimpleQueue()
        self.threads = [threading.Thread(target=f, daemon=True) for f in (self._read, self._complain)]
        for thread in self.threads:
            thread.start()

    def _read(self):
        is_json = "--json" in self.words
        for line in self.process.stdout:
            self.lines.append((time.monotonic(), json.loads(line) if is_json else line.rstrip()))
            self.arrived.put(None)

    def _complain(self):
        self.errors += self.process.stderr

    def line(self, fits, seconds, what):
        """The next line that fits, and when it came. Lines before it are passed over."""
        end = time.monotonic() + seconds
        while True:
            while self.seen < len(self.lines):
                at, line = self.lines[self.seen]
                self.seen += 1
                if fits(line):
                    return at, line
            left = end - time.monotonic()
            want(left > 0 and self.process.poll() is None or not self.arrived.empty(), f"no {what}; {self.told()}")
            try:
                self.arrived.get(timeout=max(0.01, min(left, 0.2)))
            except queue.Empty:
                continue

    def told(self):
        """All that it said, for people."""
        lines = "\n".join(json.dumps(line, ensure_ascii=False)[:400] for _, line in self.lines[-8:])
        return f"{' '.join(self.words[1:])}: {self.process.poll()}:\n{lines}\n{''.join(self.errors)[-800:]}"

    def finish(self, seconds, code=0):
        """Waits for its end; gives all its lines."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            want(False, f"it did not end within {seconds} s; {self.told()}")
        for thread in self.threads:
            thread.join(2)
        want(self.process.returncode == code, f"exit {self.process.returncode}, expected {code}; {self.told()}")
        return [line for _, line in self.lines]

    def interrupt(self):
        """Ctrl-C."""
        self.process.send_signal(2)


@contextmanager
def running(*words):
    """The program for the length of the block; ended if it still runs then."""
    program = Running(*words)
    try:
        yield program
    finally:
        program.process.kill()
        program.process.wait()


def said(*words, seconds=30, code=0):
    """The JSON lines of a whole run."""
    with running(*words) as program:
        return program.finish(seconds, code)


@contextmanager
def agent(album):
    """The agent of tests/peers, which keeps the photos that it gets in `album`; gives its origin and its lines."""
    python = REPOSITORY / "target/peer-venv/bin/python"
    words = [python, REPOSITORY / "tests/peers/workshop_agent.py", "--keep", album]
    pipe = subprocess.PIPE
    peer = subprocess.Popen(list(map(str, words)), stdin=pipe, stdout=pipe, text=True)
    try:
        ready = peer.stdout.readline()
        want(ready.startswith("ready "), f"the agent did not start: {ready}; {sys.version}")
        yield ready.split()[1], peer.stdout
    finally:
        peer.kill()
        peer.wait()
