"""feed.py NODE FOURCC WIDTH HEIGHT RATE FILE… - writes frames, one file each, round and round, into v4l2loopback.

FILE@N is the file cut to N bytes. Prints `ready` once the first frame is written; runs until it is ended.
"""

import fcntl
import os
import struct
import sys
import time

VIDIOC_S_FMT = 0xC0D05605
BUF_TYPE_VIDEO_OUTPUT = 2
FIELD_NONE = 1
COLORSPACE_SRGB = 8
PRIVATE_MAGIC = 0xFEEDCAFE
FORMAT_BYTES = 208
# Bytes of a row, and eighths of bytes of a pixel.
LAYOUT = {"YUYV": (2, 16), "UYVY": (2, 16), "NV12": (1, 12), "RGB3": (3, 24), "BGR3": (3, 24), "GREY": (1, 8)}


def read(name):
    path, _, cut = name.partition("@")
    with open(path, "rb") as file:
        frame = file.read()
    return frame[: int(cut)] if cut else frame


def set_format(node, fourcc, width, height):
    row, pixel = LAYOUT.get(fourcc, (0, 16))
    code = struct.unpack("<I", fourcc.encode())[0]
    fields = (width, height, code, FIELD_NONE, row * width, width * height * pixel // 8, COLORSPACE_SRGB, PRIVATE_MAGIC)
    request = bytearray(struct.pack("<II12I", BUF_TYPE_VIDEO_OUTPUT, 0, *fields, 0, 0, 0, 0))
    request += bytes(FORMAT_BYTES - len(request))
    fcntl.ioctl(node, VIDIOC_S_FMT, request)
    taken = struct.unpack_from("<III", request, 8)
    if taken != (width, height, code):
        sys.exit(f"the loopback took {taken} in place of {(width, height, code)}")


def main():
    path, fourcc, width, height, rate, *names = sys.argv[1:]
    frames = [read(name) for name in names]
    node = os.open(path, os.O_RDWR)
    set_format(node, fourcc, int(width), int(height))
    told = False
    while True:
        for frame in frames:
            os.write(node, frame)
            if not told:
                print("ready", flush=True)
                told = True
            time.sleep(1 / float(rate))


main()
