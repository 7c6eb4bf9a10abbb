# SPDX-License-Identifier: MIT
"""Run the commands of the tutorial, and compare their output."""
import os
import re
import subprocess
import tempfile

import rig

PAGE = os.path.join(rig.ROOM, "TUTORIAL.md")
MARK = "--- the next block ---"


def blocks():
    """[(commands, what they print)], in order."""
    with open(PAGE, encoding="ascii") as page:
        fences = re.findall(r"^```(\w+)\n(.*?)^```$", page.read(), re.M | re.S)
    pairs = []
    for kind, text in fences:
        if kind == "shell":
            pairs.append([text, ""])
        else:
            pairs[-1][1] = text
    return pairs


def tutorial_does_what_it_shows():
    pairs = blocks()
    script = "".join(f"{commands}\necho '{MARK}'\n" for commands, _ in pairs)
    env = dict(os.environ, PORT=str(rig.free_port()),
               PATH=f"{os.path.dirname(rig.PROGRAM)}:{os.environ['PATH']}")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["bash", "-c", script], cwd=folder, env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=rig.PATIENCE, check=True)
    said = re.sub(r"(?m)^wheelq: serves .*\n", "", done.stdout).split(MARK + "\n")
    assert len(said) == len(pairs) + 1
    assert sum(bool(wanted) for _, wanted in pairs) > 5
    for (commands, wanted), got in zip(pairs, said):
        assert got == wanted, f"{commands}\nprints\n{got}\nnot\n{wanted}"


TESTS = [tutorial_does_what_it_shows]
