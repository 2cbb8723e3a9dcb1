#!/usr/bin/env python3
"""Makes assets/screenshots/session.svg: a real run of the program, drawn as text.

Usage: scripts/screenshot.py [PROGRAM]        (default: target/debug/agentcall)

Needs tmux and Python 3, nothing else. It starts `PROGRAM demo` in a terminal of 140×34 of its own tmux
server, does with its keys what a person would do (a scan that the agent asked for, a label to teach, a photo),
waits each time for what must then be on the screen, and turns the cells of that terminal into an SVG.
"""

import html
import os
import re
import subprocess
import sys
import tempfile
import time

COLUMNS, ROWS = 140, 34
CELL_WIDTH, CELL_HEIGHT = 8.4, 18
FOREGROUND, BACKGROUND = "#d4d7dd", "#16181d"
NAMED = ["#3b4048", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d4d7dd"]
BRIGHT = ["#7f848e", "#ff7b86", "#b5e890", "#ffd68a", "#7cc4ff", "#e29bf5", "#6fd3e0", "#ffffff"]
OUT = os.path.join(os.path.dirname(__file__), "..", "assets", "screenshots", "session.svg")

# Lines from the middle of a cell to its edges: left, right, up, down.
BOX = {
    "─": "lr", "│": "ud", "┌": "rd", "┐": "ld", "└": "ru", "┘": "lu", "├": "rud", "┤": "lud",
    "┬": "lrd", "┴": "lru", "┼": "lrud", "╭": "rd", "╮": "ld", "╰": "ru", "╯": "lu",
}


class Terminal:
    """The program in a tmux server of its own."""

    def __init__(self, program, home):
        self.server = ["tmux", "-L", f"agentcall-screenshot-{os.getpid()}", "-f", "/dev/null"]
        command = f"env HOME={home} XDG_STATE_HOME={home} COLORTERM=truecolor {program} demo"
        size = ["-x", str(COLUMNS), "-y", str(ROWS)]
        subprocess.run([*self.server, "new-session", "-d", "-s", "s", *size, command], check=True)
        subprocess.run([*self.server, "set-option", "-ga", "terminal-features", ",*:RGB"], check=True)

    def screen(self, *options):
        run = [*self.server, "capture-pane", "-p", "-t", "s", *options]
        return subprocess.run(run, check=True, capture_output=True, text=True).stdout

    def wait(self, text):
        deadline = time.monotonic() + 30
        while text not in self.screen():
            if time.monotonic() > deadline:
                sys.exit(f"{text!r} never came:\n{self.screen()}")
            time.sleep(0.05)

    def keys(self, *keys):
        for key in keys:
            subprocess.run([*self.server, "send-keys", "-t", "s", key], check=True)
            time.sleep(0.15)  # apart as a person's keys are, so that Esc stays Esc

    def say(self, text, then):
        self.keys("i")
        subprocess.run([*self.server, "send-keys", "-t", "s", "-l", text], check=True)
        self.keys("Enter", "Escape")
        self.wait(then)

    def end(self):
        subprocess.run([*self.server, "kill-server"], check=False, capture_output=True)


def play(terminal):
    """A conversation up to a photo under review, and the observation selected."""
    terminal.wait("● live")
    terminal.say("What is this?", "turn 1 · idle")
    terminal.say("scan an object", "The agent asks")
    terminal.keys("s")
    terminal.wait("ARMED")
    terminal.keys("p", "Enter")
    terminal.wait("Enter sends")
    time.sleep(1)  # a review cannot be sent before it can have been seen
    terminal.keys("Enter")
    terminal.wait("turn 3 · idle")
    terminal.keys("t")
    subprocess.run([*terminal.server, "send-keys", "-t", "s", "-l", "Workshop router"], check=True)
    terminal.keys("Enter")
    terminal.wait("turn 4 · idle")
    terminal.keys("c")
    terminal.wait("Enter takes the picture")
    terminal.wait("▀")
    terminal.keys("Enter")
    terminal.wait("Enter sends")
    terminal.keys("2")
    for _ in range(60):
        if "Inspector · user.observation" in terminal.screen():
            break
        terminal.keys("Up")
    time.sleep(0.5)


def colour(number, bright=False):
    return (BRIGHT if bright else NAMED)[number]


class Style:
    """What the escape sequences so far have set."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.fg, self.bg = None, None
        self.bold = self.dim = self.reverse = False

    def apply(self, codes):
        codes = [int(code or 0) for code in codes]
        while codes:
            code = codes.pop(0)
            if code in (38, 48) and codes[:1] == [2]:
                value = "#%02x%02x%02x" % tuple(codes[1:4])
                codes = codes[4:]
                self.fg, self.bg = (value, self.bg) if code == 38 else (self.fg, value)
            elif code in (38, 48) and codes[:1] == [5]:
                value = colour(codes[1] % 8, codes[1] >= 8)
                codes = codes[2:]
                self.fg, self.bg = (value, self.bg) if code == 38 else (self.fg, value)
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.fg = colour(code % 10, code >= 90)
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.bg = colour(code % 10, code >= 100)
            else:
                self.flag(code)

    def flag(self, code):
        match code:
            case 0: self.reset()
            case 1: self.bold = True
            case 2: self.dim = True
            case 7: self.reverse = True
            case 22: self.bold = self.dim = False
            case 27: self.reverse = False
            case 39: self.fg = None
            case 49: self.bg = None

    def now(self):
        fg, bg = self.fg or FOREGROUND, self.bg or BACKGROUND
        return ((bg, fg) if self.reverse else (fg, bg)) + (self.bold, self.dim and not self.reverse)


def cells(line, style):
    """(character, foreground, background, bold, dim) of every cell of a line."""
    out = []
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b["):
            style.apply(part[2:-1].split(";"))
        else:
            out.extend((character, *style.now()) for character in part)
    return out


def svg(screen):
    width, height = COLUMNS * CELL_WIDTH + 16, ROWS * CELL_HEIGHT + 16
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        'font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14">',
        "<title>agentcall: conversation, events, inspector, and a photo under review</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        '<g transform="translate(8 8)" xml:space="preserve">',
    ]
    style = Style()
    for row, line in enumerate(screen.split("\n")[:ROWS]):
        out.extend(drawn(cells(line, style), row * CELL_HEIGHT))
    return "\n".join([*out, "</g>", "</svg>", ""])


def drawn(line, y):
    """A row: backgrounds, half blocks and box lines as shapes, everything else as text."""
    column = 0
    while column < len(line):
        character, fg, bg, bold, dim = line[column]
        x = column * CELL_WIDTH
        run = 1
        if character in BOX or character in "▀█":
            while column + run < len(line) and line[column + run] == line[column] and character in "─▀█":
                run += 1
            yield from shape(character, fg, bg, dim, x, y, run * CELL_WIDTH)
        else:
            while column + run < len(line) and line[column + run][1:] == line[column][1:] and not (
                line[column + run][0] in BOX or line[column + run][0] in "▀█"
            ):
                run += 1
            text = "".join(cell[0] for cell in line[column:column + run])
            yield from words(text, fg, bg, bold, dim, x, y)
        column += run


def shape(character, fg, bg, dim, x, y, width):
    opacity = ' opacity="0.5"' if dim else ""
    middle, centre = y + CELL_HEIGHT / 2, x + CELL_WIDTH / 2
    if character in "▀█":
        if character == "▀":
            yield f'<rect x="{x:.1f}" y="{y}" width="{width + 0.1:.1f}" height="{CELL_HEIGHT}" fill="{bg}"/>'
        tall = CELL_HEIGHT if character == "█" else CELL_HEIGHT / 2
        yield f'<rect x="{x:.1f}" y="{y}" width="{width + 0.1:.1f}" height="{tall:g}" fill="{fg}"/>'
        return
    if character == "─":
        yield f'<path d="M{x:.1f} {middle:g}h{width:.1f}" stroke="{fg}"{opacity}/>'
        return
    ends = {"l": (x, middle), "r": (x + CELL_WIDTH, middle), "u": (centre, y), "d": (centre, y + CELL_HEIGHT)}
    path = "".join(f"M{centre:.1f} {middle:g}L{ends[end][0]:.1f} {ends[end][1]:g}" for end in BOX[character])
    yield f'<path d="{path}" stroke="{fg}"{opacity}/>'


def words(text, fg, bg, bold, dim, x, y):
    width = len(text) * CELL_WIDTH
    if bg != BACKGROUND:
        yield f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{CELL_HEIGHT}" fill="{bg}"/>'
    # Each stretch between wider gaps stands at its own place, so that fonts of other widths stay aligned.
    for stretch in re.finditer(r"\S+(?: \S+)*", text):
        word = stretch.group()
        attributes = f' font-weight="bold"' if bold else ""
        attributes += ' opacity="0.6"' if dim else ""
        at = x + stretch.start() * CELL_WIDTH
        yield (
            f'<text x="{at:.1f}" y="{y + 13.5:g}" fill="{fg}" textLength="{len(word) * CELL_WIDTH:.1f}" '
            f'lengthAdjust="spacingAndGlyphs"{attributes}>{html.escape(word)}</text>'
        )


def main():
    program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/debug/agentcall")
    with tempfile.TemporaryDirectory() as home:
        terminal = Terminal(program, home)
        try:
            play(terminal)
            screen = terminal.screen("-e")
            terminal.keys("Escape", "q")
        finally:
            terminal.end()
    os.makedirs(os.path.dirname(OUT), exist_ok=True)
    with open(OUT, "w", encoding="utf-8") as file:
        file.write(svg(screen))


if __name__ == "__main__":
    main()
