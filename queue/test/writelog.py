# SPDX-License-Identifier: MIT
"""Read the log of dm-log-writes: writes, flushes and marks."""
import os
import struct

MAGIC = 0x6a736677736872
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8


class Entry:
    """An entry. @at and @to are the byte offsets of its data in the log and on the disk."""

    def __init__(self, flags, at, to, size, mark):
        self.flags, self.at, self.to, self.size, self.mark = flags, at, to, size, mark

    @property
    def is_kept(self):
        """True if this entry and all previous ones survive a power cut."""
        return bool(self.flags & (FLUSH | FUA))


def entries(log):
    """The entries of the log on a disk, in order."""
    with open(log, "rb") as file:
        magic, _, count, sector = struct.unpack("<QQQI", file.read(28))
        assert magic == MAGIC, "not a log of dm-log-writes"
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
    """A disk to which entries of the log are written again."""

    def __init__(self, log, disk, size):
        self.size = size
        self.log, self.disk = os.open(log, os.O_RDONLY), os.open(disk, os.O_RDWR)

    def write(self, entry):
        done = 0
        while entry.size > done and not entry.flags & DISCARD:
            data = os.pread(self.log, min(entry.size - done, 1 << 20), entry.at + done)
            done += os.pwrite(self.disk, data, entry.to + done)

    def copy_to(self, path):
        """Copy the disk, so that the original does not change when the copy is mounted."""
        with open(path, "r+b", buffering=0) as other:
            for at in range(0, self.size, 1 << 20):
                other.write(os.pread(self.disk, 1 << 20, at))
            os.fsync(other.fileno())
