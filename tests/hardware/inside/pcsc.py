"""The system's PC/SC library, asked without our program: which readers there are, and whether a card lies on one."""

import ctypes
import struct

SCOPE_SYSTEM = 2
NO_READERS = 0x8010002E
STATE_PRESENT = 0x20
# name, user data, current state, event state, length of the ATR, the ATR
READER_STATE = struct.Struct("@PPLLL33s")


class Context:
    """A connection to the daemon, given back when nobody holds it any more; `error` is not 0 where there is none."""

    def __init__(self):
        self.library = ctypes.CDLL("libpcsclite.so.1")
        self.handle = ctypes.c_long()
        self.error = self.library.SCardEstablishContext(SCOPE_SYSTEM, None, None, ctypes.byref(self.handle)) & 0xFFFFFFFF

    def __del__(self):
        # The daemon keeps so many contexts of a process and no more, and a case that waits asks again and again.
        if not self.error:
            self.library.SCardReleaseContext(self.handle)

    def readers(self):
        """The names of the readers."""
        length = ctypes.c_ulong(4096)
        names = ctypes.create_string_buffer(length.value)
        error = self.library.SCardListReaders(self.handle, None, names, ctypes.byref(length)) & 0xFFFFFFFF
        if error == NO_READERS:
            return []
        if error:
            raise OSError(f"SCardListReaders: {error:#x}")
        return [name.decode() for name in names.raw[: length.value].split(b"\0") if name]

    def has_card(self, reader):
        """Whether a card lies on it."""
        name = ctypes.create_string_buffer(reader.encode())
        state = ctypes.create_string_buffer(READER_STATE.pack(ctypes.addressof(name), 0, 0, 0, 0, b""), READER_STATE.size + 8)
        error = self.library.SCardGetStatusChange(self.handle, ctypes.c_ulong(0), state, ctypes.c_ulong(1)) & 0xFFFFFFFF
        if error:
            raise OSError(f"SCardGetStatusChange: {error:#x}")
        return bool(READER_STATE.unpack_from(state.raw)[3] & STATE_PRESENT)
