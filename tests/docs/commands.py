#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""commands.py FILE: print the commands of a shell script, one per line, with tabs between words."""

import re
import shlex
import sys


def commands(text):
    for inner in re.findall(r"\$\(([^()]*)\)", text):
        yield from commands(inner)
    text = re.sub(r"(?m)(^|\s)#\s.*$", "", text.replace("\\\n", " "))
    words = shlex.shlex(text, posix=True, punctuation_chars=";&|(){}\n")
    words.whitespace = " \t"
    words.whitespace_split = True
    command = []
    for word in list(words) + ["\n"]:
        if set(word) <= set(";&|(){}\n"):
            if command:
                yield command
            command = []
        elif word[0] != ">" and (command or not re.match(r"\w+=", word)):
            command.append(word)


with open(sys.argv[1], encoding="utf-8") as file:
    for words in commands(file.read()):
        words = words[1:] if words[0] == "sudo" else words
        print("\t".join(word.replace("\n", " ") for word in words))
