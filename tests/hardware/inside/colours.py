"""The eight colour bars, and whether a picture shows them."""

from report import want

# "75% Colorbar" of the kernel's test pattern generator: white, yellow, cyan, green, magenta, red, blue, black.
BARS = [(191, 191, 191), (191, 191, 0), (0, 191, 191), (0, 191, 0), (191, 0, 191), (191, 0, 0), (0, 0, 191), (0, 0, 0)]
TOLERANCE = 3


def bars_of(pixels, width, height, stride=None):
    """The colours in the middle of each bar, the mean of a small square: below the text that the kernel writes."""
    stride = stride or width * 3
    found = []
    for bar in range(8):
        x, y = (2 * bar + 1) * width // 16 - 4, height * 5 // 8
        square = [pixels[(y + dy) * stride + (x + dx) * 3 :][:3] for dy in range(8) for dx in range(8)]
        found.append(tuple(round(sum(pixel[c] for pixel in square) / 64) for c in range(3)))
    return found


def furthest(found, expected=None):
    """The largest difference in any channel of any bar."""
    return max(abs(f - e) for one, other in zip(found, expected or BARS) for f, e in zip(one, other))


def want_bars(pixels, width, height, expected=None, stride=None, tolerance=TOLERANCE):
    """Fails the case unless the picture shows the bars; gives the largest difference."""
    found = bars_of(pixels, width, height, stride)
    far = furthest(found, expected)
    want(far <= tolerance, f"{far} levels off: {found}, expected {expected or BARS}")
    return far


def read_ppm(data):
    """Width, height and pixels of a binary PPM without comments, as djpeg writes it."""
    kind, width, height, most, pixels = data.split(None, 4) if data[:2] == b"P6" else (b"", 0, 0, 0, b"")
    want((kind, most) == (b"P6", b"255"), f"not a PPM: {data[:20]!r}")
    width, height = int(width), int(height)
    # Not split: the first pixels may look like blanks.
    return width, height, data[len(data) - width * height * 3 :]
