# SPDX-License-Identifier: MIT
"""Clients that ask for much: many commands on their way at once."""
import array
import glob
import os
import random
import sys
import time

BODY = b"x" * 64
DAY = 86400
PIPELINE = 500
# Jobs that are asked for at once.
RESERVED = 100
PROGRESS = 500000


def delays(count, alike=1):
    """From 1 to 30 days, at random; so many after another are the same."""
    dice = random.Random(count)
    return array.array("I", (delay for _ in range(0, count, alike)
                             for delay in [dice.randrange(DAY, 30 * DAY)] * alike))[:count]


def pipelined(client, delays):
    """Puts with these delays, so many in a pipeline: how many a second, and how long
    the answers to one pipeline took, in seconds and at most."""
    begun, longest = time.monotonic(), 0
    for at in range(0, len(delays), PIPELINE):
        part = delays[at:at + PIPELINE]
        sent = time.monotonic()
        client.send(b"".join(b"put 0 %s 60 64\r\n%s\r\n" % (str(delay).encode(), BODY)
                             for delay in part))
        for _ in part:
            assert client.line().startswith("INSERTED")
        longest = max(longest, time.monotonic() - sent)
        if at and not at % PROGRESS:
            print(f"{at:,} of {len(delays):,} in"
                  f" {time.monotonic() - begun:,.0f} s", file=sys.stderr)
    return len(delays) / (time.monotonic() - begun), longest


def used_by(pids):
    """Seconds of a processor. Ticks are too coarse for what wakes up this often."""
    ran = 0
    for path in (path for pid in pids for path in glob.glob(f"/proc/{pid}/task/*/schedstat")):
        with open(path, encoding="ascii") as schedstat:
            ran += int(schedstat.read().split()[0])
    return ran / 1e9


def used_by_all():
    """The same, of all that runs on this machine, the host of a virtual one included."""
    with open("/proc/stat", encoding="ascii") as stat:
        user, nice, system, _idle, _waits, *others = map(int, stat.readline().split()[1:9])
    return (user + nice + system + sum(others)) / os.sysconf("SC_CLK_TCK")


def reserved(client, count):
    """The numbers of so many jobs, once they are there."""
    numbers = []
    for _ in range(0, count, RESERVED):
        client.send(b"reserve\r\n" * RESERVED)
        for _ in range(RESERVED):
            answer = client.answer()
            assert answer[0].startswith("RESERVED"), answer
            numbers.append(int(answer[0].split()[1]))
    return numbers


def delete(client, numbers):
    for at in range(0, len(numbers), PIPELINE):
        part = numbers[at:at + PIPELINE]
        client.send(b"".join(b"delete %d\r\n" % number for number in part))
        for _ in part:
            assert client.line() == "DELETED"
