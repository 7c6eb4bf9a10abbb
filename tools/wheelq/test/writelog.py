# SPDX-License-Identifier: MIT
"""What dm-log-writes logs: each write, and when the disk was told to keep what it had."""
import os
import struct

MAGIC = 0x6a736677736872
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8


class Entry:
    """One of the log: at which byte of it the data is, and of the disk."""

    def __init__(self, flags, at, to, size, mark):
        self.flags, self.at, self.to, self.size, self.mark = flags, at, to, size, mark

    @property
    def is_kept(self):
        """What came before it, and it, survive a loss of power."""
        return bool(self.flags & (FLUSH | FUA))


def entries(log):
    """Those of the log on a disk, in order."""
    with open(log, "rb") as file:
        magic, _, count, sector = struct.unpack("<QQQI", file.read(28))
        assert magic == MAGIC, "that is no log of dm-log-writes"
        at = sector
        for _ in range(count):
            file.seek(at)
            to, sectors, flags, length = struct.unpack("<QQQQ", file.read(32))
            mark = file.read(length).decode() if flags & MARK else None
            at += sector
            size = sectors * sector
            yield Entry(flags, at, to * sector, size, mark)
            if not flags & DISCARD:
                at += size


class Replay:
    """A disk as it was after a number of the log's entries."""

    def __init__(self, log, disk, size):
        self.size = size
        self.log, self.disk = os.open(log, os.O_RDONLY), os.open(disk, os.O_RDWR)

    def write(self, entry):
        done = 0
        while entry.size > done and not entry.flags & DISCARD:
            data = os.pread(self.log, min(entry.size - done, 1 << 20), entry.at + done)
            done += os.pwrite(self.disk, data, entry.to + done)

    def copy_to(self, path):
        """So that what looks at it does not change it."""
        with open(path, "r+b", buffering=0) as other:
            for at in range(0, self.size, 1 << 20):
                other.write(os.pread(self.disk, 1 << 20, at))
            os.fsync(other.fileno())
