# SPDX-License-Identifier: MIT
"""Power cuts and failing disks. Run only in a guest, because its disks are overwritten."""
import contextlib
import os
import random
import subprocess

import ktap
import guarantees
import harness
import writelog

# The disk, the log of its writes, the disk at a power cut, and a copy to examine.
DISK, LOG, THEN, LOOK = (f"/dev/ram{n}" for n in range(4))
NAME = "wheelq-disk"
BYTES = 64 << 20
MAPPED = f"/dev/mapper/{NAME}"
ROUNDS = int(os.environ.get("WHEELQ_ROUNDS", "40"))
CUTS = int(os.environ.get("WHEELQ_CUTS", "60"))


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def needs_disks():
    if not os.environ.get("WHEELQ_DISKS"):
        raise ktap.Skip("overwrites /dev/ram0 to ram3; permit it with WHEELQ_DISKS=yes")


@contextlib.contextmanager
def mapped(kind, *words):
    """A device-mapper disk on top of DISK."""
    run("dmsetup", "create", NAME, "--table",
        f"0 {BYTES // 512} {kind} {DISK} {' '.join(words)}")
    try:
        yield
    finally:
        run("dmsetup", "remove", NAME)


@contextlib.contextmanager
def mounted(disk):
    directory = f"/tmp/on-{os.path.basename(disk)}"
    os.makedirs(directory, exist_ok=True)
    run("mount", "-t", "ext4", disk, directory)
    try:
        yield directory
    finally:
        run("umount", directory)


class Ledger:
    """Records the acknowledged commands before each mark of the log."""

    def __init__(self):
        self.dice = random.Random(guarantees.SEED)
        self.put, self.asked, self.deleted = {}, {}, {}
        self.mark = 0

    def round(self, client):
        # A round without puts has a commit with deletes only.
        puts = self.dice.choice([0, self.dice.randrange(1, 30)])
        delays = [self.dice.choice([0, 3600]) for _ in range(puts)]
        known = sorted(set(self.put) - set(self.asked))
        gone = self.dice.sample(known, min(len(known), 5))
        client.send(b"".join(b"put 1 %d 60 %d\r\n%s\r\n" % (delay, 2000 + n, b"x" * (2000 + n))
                             for n, delay in enumerate(delays)) +
                    b"".join(b"delete %d\r\n" % number for number in gone))
        self.mark += 1
        self.asked.update((number, self.mark) for number in gone)
        for n, delay in enumerate(delays):
            number = int(client.answer().split()[1])
            assert number not in self.put, f"id {number} was used twice"
            self.put[number] = (self.mark, 2000 + n, delay)
        for number in gone:
            assert client.answer() == "DELETED"
            self.deleted[number] = self.mark
        run("dmsetup", "message", NAME, "0", f"mark {self.mark}")

    def agrees(self, client, mark):
        """Compare with a server whose disk has the writes up to the mark, and maybe later ones."""
        client.send("".join(f"peek {number}\r\nstats-job {number}\r\n" for number in self.put))
        for number, (put_at, size, delay) in self.put.items():
            found, stats = client.answer(), client.answer()
            if self.deleted.get(number, mark + 1) <= mark:
                assert found == "NOT_FOUND", f"Q3: job {number} exists after DELETED"
            elif put_at <= mark and self.asked.get(number, mark + 2) > mark + 1:
                assert found != "NOT_FOUND", f"Q2: job {number} is lost"
            if found != "NOT_FOUND":
                assert found[1] == b"x" * size, f"Q2: another body of job {number}"
                state = b"state: delayed\n" if delay else b"state: ready\n"
                assert state in stats[1], f"Q4: job {number}: {stats[1]}"
        known = [number for number, (put_at, _, _) in self.put.items() if put_at <= mark]
        assert client.put(b"new") > max(known, default=0), "an id was used twice"


def record(ledger):
    """Run a server on a disk whose writes are logged. It is killed, stopped and killed."""
    with mapped("log-writes", LOG):
        run("mkfs.ext4", "-q", MAPPED)
        run("dmsetup", "message", NAME, "0", "mark 0")
        with mounted(MAPPED) as directory:
            server = harness.Server(directory=directory)
            for end in (server.kill, server.stop, server.kill):
                client = server.start().client()
                for _ in range(ROUNDS // 3):
                    ledger.round(client)
                client.close()
                end()


@contextlib.contextmanager
def serving(directory):
    """A server that is killed before its disk is unmounted."""
    server = harness.Server(directory=directory)
    try:
        yield server.start()
    finally:
        server.kill()


def look(ledger, mark):
    with mounted(LOOK) as directory, serving(directory) as server:
        ledger.agrees(server.client(), mark)


def marks(log):
    """For each flush, the last mark before the next flush. The disk may be unchanged until then."""
    told, flush, mark = {}, None, 0
    for n, entry in enumerate(log):
        if entry.mark and entry.mark.isdigit():
            mark = int(entry.mark)
        elif entry.is_kept:
            flush = n
        told[flush] = mark
    return told


def q1_q2_q3_power_cuts():
    """Cut the power at all flushes of the disk, or at CUTS random ones."""
    needs_disks()
    ledger = Ledger()
    print(f"# WHEELQ_SEED={guarantees.SEED}")
    record(ledger)
    log = list(writelog.entries(LOG))
    begun = next(n for n, entry in enumerate(log) if entry.mark == "0")
    points = [n for n, entry in enumerate(log) if entry.is_kept and n > begun]
    chosen = set(ledger.dice.sample(points, min(CUTS, len(points))) + points[-1:])
    replay, told = writelog.Replay(LOG, THEN, BYTES), marks(log)
    for n, entry in enumerate(log):
        if not entry.mark:
            replay.write(entry)
        if n in chosen:
            replay.copy_to(LOOK)
            look(ledger, told[n])
    assert told[points[-1]] == ledger.mark
    print(f"# {len(chosen)} power cuts at {len(points)} flushes, {len(log)} entries, "
          f"{len(ledger.put)} jobs acknowledged, {len(ledger.deleted)} deleted")


def change(kind, *words):
    """Replace the disk below the file system."""
    run("dmsetup", "suspend", "--nolockfs", NAME)
    run("dmsetup", "load", NAME, "--table",
        f"0 {BYTES // 512} {kind} {DISK} {' '.join(words)}")
    run("dmsetup", "resume", NAME)


def q1_disk_that_fails_ends_it():
    """After some time, each write fails. After the repair, no acknowledged job is missing."""
    needs_disks()
    with mapped("linear", "0"):
        run("mkfs.ext4", "-q", MAPPED)
        acknowledged = []
        with mounted(MAPPED) as directory:
            server = harness.Server(directory=directory)
            client = server.start().client()
            acknowledged += [client.put(b"x" * 3000) for _ in range(20)]
            # Available for 0 seconds, then failing for one day.
            change("flakey", "0", "0", "86400", "1", "error_writes")
            with contextlib.suppress(harness.Gone, OSError):
                while True:
                    acknowledged.append(client.put(b"x" * 3000))
            assert server.wait() == 1
            lines = server.said.decode().splitlines()
            assert len(lines) == 1 and "exiting" in lines[0], lines
            change("linear", "0")
        with mounted(MAPPED) as directory, serving(directory) as server:
            client = server.client()
            for number in acknowledged:
                assert client.ask(f"peek {number}") != "NOT_FOUND", f"job {number} is lost"
            print(f"# {lines[0]}; {len(acknowledged)} jobs acknowledged")


TESTS = [q1_disk_that_fails_ends_it, q1_q2_q3_power_cuts]
