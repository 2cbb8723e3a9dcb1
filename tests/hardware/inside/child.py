"""The camera's process, spoken to as the program itself speaks to it (`src/device/camera/wire.rs`).

With it a case can do something to the camera between one frame and the next, and look at the decoded picture itself.
"""

import json
import os
import select
import struct
import subprocess
import time
from contextlib import contextmanager

from report import want

MAGIC = b"ACC1"
STEP_SECONDS = 8


class Child:
    """A running camera process."""

    def __init__(self, program, user=None):
        pipe, words = subprocess.PIPE, [program, "__camera"]
        self.process = subprocess.Popen(
            words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env={}, bufsize=0, user=user
        )
        self.end_of_step = 0
        hello, _ = self.receive()
        want(hello["is"] == "hello", hello)

    def ask(self, **request):
        """One request, and the answer to it: its header and its payload."""
        header = json.dumps(request).encode()
        self.process.stdin.write(MAGIC + struct.pack(">II", len(header), 0) + header)
        return self.receive()

    def receive(self):
        self.end_of_step = time.monotonic() + STEP_SECONDS
        prefix = self.read(12)
        want(prefix.startswith(MAGIC), prefix)
        header, payload = struct.unpack(">II", prefix[4:])
        return json.loads(self.read(header)), self.read(payload)

    def read(self, count):
        pipe, got, room = self.process.stdout.fileno(), 0, bytearray(count)
        while got < count:
            left = self.end_of_step - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise TimeoutError("the camera process does not answer")
            piece = os.readv(pipe, [memoryview(room)[got:]])
            want(piece, f"the camera process ended with {self.process.poll()}")
            got += piece
        return room

    def list(self):
        """The cameras that there are."""
        cameras = []
        answer, _ = self.ask(do="list")
        while answer["is"] == "camera":
            cameras.append(answer["camera"])
            answer, _ = self.receive()
        want(answer["is"] == "listed", answer)
        return cameras, answer.get("trouble")

    def open(self, camera, fourcc, width, height):
        """Opens a camera that was listed, in one of its formats. Gives the answer, which may be `failed`."""
        fits = [f for f in camera["formats"] if (f["fourcc"], f["width"], f["height"]) == (fourcc, width, height)]
        want(fits, f"{fourcc} {width}x{height} is not among {camera['formats']}")
        source = {"kind": "device", **{k: camera[k] for k in ("node", "card", "bus")}, "format": fits[0]}
        return self.ask(do="open", source=source)[0]

    def frame(self, size="preview"):
        """The next picture: the answer, and its pixels. After a `full` one the camera is closed."""
        return self.ask(do="frame", size=size)

    def close(self):
        """Ends it, whatever it is doing."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            pipe.close()


@contextmanager
def child(program, user=None):
    """A camera process for the length of the block, as another user where one is named."""
    running = Child(program, user)
    try:
        yield running
    finally:
        running.close()
