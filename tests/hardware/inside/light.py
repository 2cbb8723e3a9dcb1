"""When the camera's light is on: while anybody holds it."""

import threading
import time
from contextlib import contextmanager

import v4l2
from report import want

LIGHT_OFF_SECONDS = 0.2


class Light:
    """Looks all the time whether anybody holds the camera, which is when its light is on: pairs of when and whether."""

    def __init__(self):
        self.seen, self.going = [], True
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _look(self):
        while self.going:
            # A look that began before the camera was closed may still see it.
            before = time.monotonic()
            self.seen.append((before, v4l2.is_held()))
            time.sleep(0.003)

    def stop(self):
        self.going = False
        self.thread.join()

    def was_on(self, start, end):
        """Whether anybody held it between two times, and that it was looked at then."""
        looks = [held for at, held in self.seen if start <= at <= end]
        want(looks, f"nobody looked between {start} and {end}")
        return any(looks)

    def last_on(self):
        """When it was last seen on."""
        return max((at for at, held in self.seen if held), default=None)


@contextmanager
def light():
    """Watches the camera's light for the length of the block."""
    watched = Light()
    try:
        yield watched
    finally:
        watched.stop()
