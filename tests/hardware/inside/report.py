"""Cases that run in the guest, and what they report to the host: one line each on the console."""

import json
import time
import traceback

CASES = []
MARK = "CASE "


class Wrong(Exception):
    """What was looked at is not what it has to be."""


def case(function):
    """Registers a case. Its name is the function's; it is run in the order of the file."""
    CASES.append(function)
    return function


def want(condition, said):
    """Fails the case, with what was said instead."""
    if not condition:
        raise Wrong(str(said))


def tell(**facts):
    """A line for the host."""
    print(MARK + json.dumps(facts), flush=True)


def figure(name, value, unit):
    """A figure for the report."""
    tell(figure=name, value=round(value, 3), unit=unit)


def until(condition, seconds, what):
    """Waits for a condition, and gives what it found."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        want(time.monotonic() < end, f"waited {seconds} s for {what}")
        time.sleep(0.02)
    return found


def play(words):
    """Runs the cases whose names contain one of the words, or all, and tells the host how many those were."""
    chosen = [f for f in CASES if not words or any(word in f.__name__ for word in words)]
    for function in chosen:
        name = function.__name__
        start, why = time.monotonic(), None
        try:
            function()
        except Wrong as wrong:
            why = str(wrong)
        except Exception:  # noqa: BLE001 - a case that breaks must not end the others
            why = traceback.format_exc(limit=-3)
        tell(case=name, ok=why is None, why=why, seconds=round(time.monotonic() - start, 2))
    tell(end=len(chosen))
