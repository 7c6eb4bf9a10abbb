# SPDX-License-Identifier: MIT
"""Clients that keep many commands in flight."""
import array
import glob
import random
import sys
import time

BODY = b"x" * 64
DAY = 86400
PIPELINE = 500
# Number of reserve commands in flight.
RESERVED = 100
PROGRESS = 500000


def delays(count, alike=1):
    """Random delays of 1 to 30 days, each repeated @alike times."""
    dice = random.Random(count)
    return array.array("I", (delay for _ in range(0, count, alike)
                             for delay in [dice.randrange(DAY, 30 * DAY)] * alike))[:count]


def pipelined(client, delays):
    """Put jobs with these delays, PIPELINE at a time. Return the puts per second, and the longest
    wait for the responses to one pipeline in seconds."""
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
    """CPU seconds of these processes. Ticks are too coarse for processes that often wake up."""
    ran = 0
    for path in (path for pid in pids for path in glob.glob(f"/proc/{pid}/task/*/schedstat")):
        with open(path, encoding="ascii") as schedstat:
            ran += int(schedstat.read().split()[0])
    return ran / 1e9


def reserved(client, count):
    """Reserve @count jobs, and return their ids."""
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
