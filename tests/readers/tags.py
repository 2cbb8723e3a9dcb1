"""Virtual contactless tags, as a PC/SC reader shows them (PC/SC part 3, section 3.2.2): an ATR, and an answer to each APDU.

Used by vtag.py. A tag knows no link and no clock: `power()` when its field comes up or is reset, `answer(apdu)` after.
`options()` adds what can be said about a tag to an argument parser; `make()` makes the tag.
"""
import argparse
import random
import struct

NOTHING, OK = b"", b"\x90\x00"
FAILED, NOT_HERE, WRONG_LENGTH = b"\x63\x00", b"\x6a\x81", b"\x67\x00"
NO_FILE, NO_CURRENT_FILE, OUTSIDE, NO_SUCH_COMMAND = b"\x6a\x82", b"\x69\x86", b"\x6b\x00", b"\x6d\x00"
NDEF_APPLICATION = bytes.fromhex("D2760000850101")


# ── NDEF ──

def record(kind, payload, first, last, tnf=1):
    """One NDEF record; the short form where it fits."""
    head = tnf | (0x80 if first else 0) | (0x40 if last else 0)
    if len(payload) < 256:
        return bytes([head | 0x10, len(kind), len(payload)]) + kind + payload
    return bytes([head, len(kind)]) + struct.pack(">I", len(payload)) + kind + payload


def uri_record(uri, first, last):
    prefixes = {1: "http://www.", 2: "https://www.", 3: "http://", 4: "https://"}
    code = max((c for c, p in prefixes.items() if uri.startswith(p)), key=lambda c: len(prefixes[c]), default=0)
    return record(b"U", bytes([code]) + uri[len(prefixes.get(code, "")):].encode(), first, last)


def text_record(text, language, first, last):
    return record(b"T", bytes([len(language)]) + language.encode() + text.encode(), first, last)


def tlv(message):
    """An NDEF message TLV and the terminator; three length bytes where one does not do."""
    length = bytes([len(message)]) if len(message) < 255 else b"\xff" + struct.pack(">H", len(message))
    return b"\x03" + length + message + b"\xfe"


# ── ATRs ──

def with_checksum(atr):
    check = 0
    for byte in atr[1:]:
        check ^= byte
    return atr + bytes([check])


def storage_atr(standard, name):
    """A storage card's ATR: which standard, and which of the names that PC/SC part 3 gives to cards."""
    return with_checksum(bytes.fromhex("3B8F8001804F0CA000000306") + bytes([standard]) + struct.pack(">H", name) + bytes(4))


def processor_atr(historical=b"\x80"):
    """The ATR of a card that speaks ISO/IEC 14443-4: its historical bytes."""
    return with_checksum(bytes([0x3B, 0x80 | len(historical), 0x80, 0x01]) + historical)


# ── tags ──

class Tag:
    """What all tags have: an id that the reader gives to `FF CA 00 00`, and the faults that can be asked for."""

    default_uid = "04A1B2C3D4E5F6"

    def __init__(self, said):
        self.said = said
        self.uid = bytes.fromhex(said.uid or self.default_uid)
        self.random = random.Random(said.seed)
        if said.atr:
            self.atr = bytes.fromhex(said.atr)
        self.power()

    def power(self):
        """The field comes up, or is reset: everything that a card forgets is forgotten."""
        self.answered = 0
        self.wedged = False
        if self.said.random_id:
            self.uid = b"\x08" + self.random.randbytes(3)
        self.forget()

    def forget(self):
        pass

    def answer(self, apdu):
        self.answered += 1
        if self.said.first_fails and self.answered == 1:
            return NO_SUCH_COMMAND
        if self.wedged:
            return FAILED
        if len(apdu) < 4:
            return WRONG_LENGTH
        if apdu[:2] == b"\xff\xca":
            if self.said.id is not None:
                return bytes.fromhex(self.said.id)
            return NOT_HERE if apdu[2] else self.uid + OK
        return self.content(apdu)

    def content(self, apdu):
        """Answers what is no question for the id."""
        return NOT_HERE

    def beyond(self):
        """A page that is not there was asked for."""
        self.wedged = self.said.wedge
        return FAILED


class Type2(Tag):
    """NTAG213, 215 or 216, whichever holds what it is to hold; `FF B0 00 <page> <n>` reads up to four pages."""

    atr = storage_atr(0x03, 0x0003)
    sizes = ((45, 0x12), (135, 0x3E), (231, 0x6D))

    def __init__(self, said):
        super().__init__(said)
        area = bytes.fromhex(said.tlv) if said.tlv is not None else tlv(message_of(said))
        pages, size = next(((p, s) for p, s in self.sizes if len(area) <= s * 8), self.sizes[-1])
        self.pages = said.pages or pages
        memory = bytearray(max(pages, self.pages) * 4 + len(area))
        uid = (self.uid + bytes(7))[:7]
        memory[0:9] = uid[:3] + bytes([0x88 ^ uid[0] ^ uid[1] ^ uid[2]]) + uid[3:] + bytes([uid[3] ^ uid[4] ^ uid[5] ^ uid[6]])
        memory[9] = 0x48
        memory[12:16] = bytes.fromhex(said.cc) if said.cc else bytes([0xE1, 0x10, size, 0])
        memory[16:16 + len(area)] = area
        self.memory = bytes(memory[:self.pages * 4])

    def content(self, apdu):
        if apdu[:2] != b"\xff\xb0" or len(apdu) < 5:
            return NOT_HERE
        page, wanted = apdu[2] << 8 | apdu[3], apdu[4] or 256
        if page >= self.pages:
            return self.beyond()
        if wanted > 16:
            return WRONG_LENGTH
        # The chip's READ goes on at page 0 behind its last page.
        return (self.memory[page * 4:] + self.memory)[:wanted] + OK


class Type3(Tag):
    """FeliCa: `FF A4 00 01 02 <service, little-endian>` chooses a service, `FF B0 00 <block> 10` reads 16 bytes."""

    atr = storage_atr(0x11, 0x003B)
    default_uid = "012E4CF1A1B2C3D4"

    def __init__(self, said):
        super().__init__(said)
        message = message_of(said)
        blocks = (len(message) + 15) // 16
        about = bytes([0x10, 4, 1]) + struct.pack(">H", max(blocks, 13)) + bytes(4) + b"\x00\x01"
        about += len(message).to_bytes(3, "big")
        about += struct.pack(">H", sum(about))
        self.blocks = (bytes.fromhex(said.cc) if said.cc else about) + message + bytes(-len(message) % 16)

    def forget(self):
        self.service = None

    def content(self, apdu):
        if apdu[:5] == bytes.fromhex("FFA4000102"):
            service = struct.unpack("<H", apdu[5:7])[0]
            self.service = service if service in (0x000B, 0x0009) else None
            return FAILED if self.service is None else OK
        if apdu[:2] == b"\xff\xb0" and len(apdu) >= 5:
            if self.service is None:
                return NO_CURRENT_FILE
            block = (apdu[2] << 8 | apdu[3]) * 16
            if apdu[4] != 16:
                return WRONG_LENGTH
            return self.blocks[block:block + 16] + OK if block < len(self.blocks) else self.beyond()
        return NOT_HERE


class Type4(Tag):
    """A processor card with the NDEF application; no READ BINARY of more than its MLe is answered."""

    atr = processor_atr()

    def __init__(self, said):
        super().__init__(said)
        message = message_of(said)
        file = bytes.fromhex(said.file) if said.file is not None else struct.pack(">H", len(message)) + message
        size = max(len(file), 0x400)
        about = struct.pack(">HBHHBBHHBB", 15, 0x20, said.mle, 0x34, 4, 6, 0xE104, min(size, 0xFFFE), 0, 0xFF)
        self.files = {0xE103: bytes.fromhex(said.cc) if said.cc else about, 0xE104: file}

    def forget(self):
        self.application, self.file = False, None

    def content(self, apdu):
        if apdu[0] == 0xFF:
            return NOT_HERE
        if apdu[:4] == bytes.fromhex("00A40400"):
            self.file, self.application = None, apdu[5:5 + apdu[4]] == NDEF_APPLICATION and not self.said.no_ndef
            return OK if self.application else NO_FILE
        if apdu[:4] == bytes.fromhex("00A4000C") and self.application:
            wanted = struct.unpack(">H", apdu[5:7])[0]
            if wanted not in self.files:
                return NO_FILE
            self.file = self.files[wanted]
            return OK
        if apdu[:2] == b"\x00\xb0":
            return self.read(apdu[2] << 8 | apdu[3], apdu[4] or 256)
        return NO_SUCH_COMMAND

    def read(self, offset, wanted):
        if self.file is None:
            return NO_CURRENT_FILE
        if wanted > self.said.mle:
            return WRONG_LENGTH
        return self.file[offset:offset + wanted] + OK if offset < len(self.file) else OUTSIDE


class Type5(Tag):
    """ISO/IEC 15693: `FF B0 00 <block> 04` reads one block of four bytes."""

    atr = storage_atr(0x0B, 0x0014)
    default_uid = "E0040150A1B2C3D4"

    def __init__(self, said):
        super().__init__(said)
        area = bytes.fromhex(said.tlv) if said.tlv is not None else tlv(message_of(said))
        blocks = said.pages or max(28, 1 + (len(area) + 3) // 4)
        size = (blocks * 4 - 4) // 8
        about = bytes.fromhex(said.cc) if said.cc else bytes([0xE1, 0x40, size, 0])
        self.memory = (about + area + bytes(blocks * 4))[:blocks * 4]

    def content(self, apdu):
        if apdu[:2] != b"\xff\xb0" or len(apdu) < 5:
            return NOT_HERE
        block = (apdu[2] << 8 | apdu[3]) * 4
        if apdu[4] != 4:
            return WRONG_LENGTH
        return self.memory[block:block + 4] + OK if block < len(self.memory) else self.beyond()


class Classic(Tag):
    """MIFARE Classic 1K: without a key, no block is readable."""

    atr = storage_atr(0x03, 0x0001)
    default_uid = "A1B2C3D4"

    def content(self, apdu):
        return FAILED


class Unknown(Tag):
    """A card that PC/SC has no name for: it has an id and nothing more."""

    atr = storage_atr(0x00, 0x0000)


TYPES = {"t2": Type2, "t3": Type3, "t4": Type4, "t5": Type5, "classic": Classic, "unknown": Unknown, "phone": Type4}


def options(parser):
    """What can be said about a tag."""
    add = parser.add_argument
    add("--type", choices=TYPES, default="t2")
    add("--uid", metavar="HEX", help="its id, 4, 7, 8 or 10 bytes")
    add("--uri", default="https://example.org/tag/42", help="the first record of its message")
    add("--text", default="Grüße, 世界", help="the second record, in German")
    add("--message", metavar="HEX", help="its NDEF message, in place of these two; may be empty")
    add("--tlv", metavar="HEX", help="t2, t5: the TLVs from the first data page on, in place of a message")
    add("--file", metavar="HEX", help="t4: the whole NDEF file with its length, in place of a message")
    add("--atr", metavar="HEX", help="what it answers to a reset")
    add("--cc", metavar="HEX", help="its capability container, or the attribute block of t3")
    add("--pages", type=int, default=0, help="t2, t5: how many it has, in place of as many as are needed")
    add("--mle", type=int, default=0x3B, help="t4: the most bytes that a READ BINARY gets")
    add("--no-ndef", action="store_true", help="t4: there is no NDEF application")
    add("--random-id", action="store_true", help="another 4-byte id 08 … at every power-up")
    add("--seed", type=int, default=1, help="of random ids")
    add("--id", metavar="HEX", help="the whole answer to FF CA, such as 6A81")
    add("--wedge", action="store_true", help="after a page that is not there, all fails with 6300 until a power-up")
    add("--first-fails", action="store_true", help="the first APDU after a power-up is answered with 6D00")


def message_of(said):
    if said.message is not None:
        return bytes.fromhex(said.message)
    return uri_record(said.uri, True, False) + text_record(said.text, "de", False, True)


def make(said):
    """The tag that was described; a phone is a processor card with a random id and no NDEF application."""
    if said.type == "phone":
        said = argparse.Namespace(**{**vars(said), "random_id": True, "no_ndef": True})
    return TYPES[said.type](said)
