"""Pictures that are fed to the guest's virtual camera: colour bars in every shape in which a camera may deliver them,
whole and damaged. Made by libjpeg's own tools, so that not our encoder tests our decoder."""

import random
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "inside"))
from colours import BARS  # noqa: E402

SOI, DHT, SOS = b"\xff\xd8", 0xC4, 0xDA


def bars(width, height):
    """The bars as a PPM."""
    row = b"".join(bytes(BARS[x * 8 // width]) for x in range(width))
    return b"P6\n%d %d\n255\n" % (width, height) + row * height


def jpeg(width, height, *options):
    """A JPEG as webcams make them: 4:2:2, the standard's own Huffman tables."""
    words = ["cjpeg", "-quality", "92", "-sample", "2x1", "-dct", "int", *options]
    return subprocess.run(words, input=bars(width, height), stdout=subprocess.PIPE, check=True).stdout


def without_tables(data):
    """The same without its Huffman tables, as many webcams send it ("MJPEG" without DHT)."""
    out, at = bytearray(SOI), 2
    while data[at + 1] != SOS:
        length = 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if data[at + 1] != DHT:
            out += data[at : at + length]
        at += length
    return bytes(out) + data[at:]


def nv12(width, height):
    """The bars in NV12 (BT.601, limited range)."""
    luma, chroma = [], []
    for red, green, blue in BARS:
        luma.append(round(16 + 0.256788 * red + 0.504129 * green + 0.097906 * blue))
        chroma.append(
            (round(128 - 0.148223 * red - 0.290993 * green + 0.439216 * blue), round(128 + 0.439216 * red - 0.367788 * green - 0.071427 * blue))
        )
    light = bytes(luma[x * 8 // width] for x in range(width))
    colour = b"".join(bytes(chroma[x * 8 // width]) for x in range(0, width, 2))
    return light * height + colour * (height // 2)


def write(directory):
    """Writes them all."""
    whole = jpeg(1280, 720)
    files = {
        "bars.jpg": whole,
        "small.jpg": jpeg(640, 480),
        "no-tables.jpg": without_tables(whole),
        "noise.jpg": random.Random(4).randbytes(20_000),
        "bars.nv12": nv12(1280, 720),
        # As long as the buffer that a driver rounds up to whole pages.
        "padded.nv12": nv12(1280, 720).ljust(338 * 4096, b"\0"),
    }
    for name, data in files.items():
        (directory / name).write_bytes(data)
