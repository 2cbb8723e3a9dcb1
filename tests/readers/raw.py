#!/usr/bin/env python3
"""raw.py: asks the PC/SC library itself, with none of our code between. It finds the daemon as every client does.

  raw.py list                    each reader's name on a line
  raw.py send READER HEX…        connects as one of several, prints the answer to each APDU: `9000`, `` for no bytes
  raw.py cross READER HEX…       the same under the protocol that was not negotiated
  raw.py hold READER [NAME]      connects alone, prints `held`, keeps the card until stdin ends; the process is called NAME

What fails is one line `error 0x8010001D WHERE`, and exit code 1.
"""
import ctypes
import sys

SHARED, EXCLUSIVE, T0, T1 = 2, 1, 1, 2
LEAVE = 0
NO_READERS = 0x8010002E
SET_NAME = 15

long = ctypes.c_long
word = ctypes.c_ulong


class Control(ctypes.Structure):
    _fields_ = [("protocol", word), ("length", word)]


library = ctypes.CDLL("libpcsclite.so.1")


def call(name, *arguments, fine=()):
    function = library[name]
    function.restype = long
    code = function(*arguments) & 0xFFFFFFFF
    if code and code not in fine:
        print(f"error 0x{code:08X} {name}", flush=True)
        sys.exit(1)
    return code


def establish():
    context = long()
    call("SCardEstablishContext", word(0), None, None, ctypes.byref(context))
    return context


def readers(context):
    length = word(4096)
    names = ctypes.create_string_buffer(length.value)
    code = call("SCardListReaders", context, None, names, ctypes.byref(length), fine=[NO_READERS])
    return [] if code else [name.decode() for name in names.raw[:length.value].split(b"\0") if name]


def connect(context, reader, how):
    card, protocol = long(), word()
    call("SCardConnect", context, reader.encode(), word(how), word(T0 | T1), ctypes.byref(card), ctypes.byref(protocol))
    return card, protocol


def send(card, protocol, apdu):
    control = Control(protocol.value, ctypes.sizeof(Control))
    length = word(65536)
    answer = ctypes.create_string_buffer(length.value)
    call("SCardTransmit", card, ctypes.byref(control), apdu, word(len(apdu)), None, answer, ctypes.byref(length))
    return answer.raw[:length.value]


def main():
    what, *rest = sys.argv[1:]
    context = establish()
    if what == "list":
        for name in readers(context):
            print(name)
    elif what in ("send", "cross"):
        card, protocol = connect(context, rest[0], SHARED)
        if what == "cross":
            protocol = word((T0 | T1) ^ protocol.value)
        for apdu in rest[1:]:
            print(send(card, protocol, bytes.fromhex(apdu)).hex().upper(), flush=True)
        call("SCardDisconnect", card, word(LEAVE))
    elif what == "hold":
        card, _ = connect(context, rest[0], EXCLUSIVE)
        if rest[1:]:
            ctypes.CDLL(None).prctl(SET_NAME, rest[1].encode(), 0, 0, 0)
        print("held", flush=True)
        sys.stdin.read()
        call("SCardDisconnect", card, word(LEAVE))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
