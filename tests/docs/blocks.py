#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""blocks.py OUT FILE...: write each code block of these files to the directory OUT.

The name of a block is OUT/<file>:<line>.<kind>, with the number of its first line:

    c       a C program, it has a main()
    part.c  C code that is not a complete program
    h       the prototypes of a synopsis
    sh      commands
    py      Python
    java    a Java program
    text    any other block: output, a drawing, a table

The first line of a block determines its kind, unless the document does.
"""

import os
import re
import shlex
import sys
import textwrap

COMMANDS = set(
    "apt-get bash bpftrace cat cc cd cp depmod dkms echo g++ gcc git gunzip insmod "
    "journalctl kill ldconfig ls lsmod make man mkdir modinfo modprobe mokutil mount "
    "node npm openssl pip python3 rmmod sed sh stat sudo systemctl trace-cmd udevadm "
    "wheelctl wheelq".split()
)


def command_of(line):
    """Return the command of a line of shell, without its directory."""
    words = re.sub(r"^[\w]+=\S* ", "", line.strip()).split()
    words = words[1:] if words[:1] == ["sudo"] else words
    return os.path.basename(words[0]) if words else ""


def kind_of(language, text):
    first = text.strip().split("\n")[0]
    if language in ("py", "python"):
        return "py"
    if language == "java":
        return "java"
    if language in ("sh", "bash", "console"):
        return "sh"
    if language not in ("", "c"):
        return "text"
    if re.search(r"\bmain\(", text):
        return "c"
    if language == "c":
        return "part.c"
    if command_of(first) in COMMANDS or re.match(r"\w+=\$\(", first):
        return "sh"
    return "part.c" if re.search(r"[;{]$|^#include|^\w+\(", first) else "text"


def indented(lines, start):
    """Return the block after a line, and the number of the line after it."""
    at, margin = start, None
    block = []
    while at < len(lines):
        line = lines[at].expandtabs(8)
        indent = len(line) - len(line.lstrip())
        if line.strip():
            if margin is None:
                margin = indent
            if indent < margin or margin == 0:
                break
        block.append(lines[at])
        at += 1
    return textwrap.dedent("\n".join(block)).strip("\n") + "\n", at


def rst(lines):
    at = 0
    while at < len(lines):
        line = lines[at].rstrip()
        # The sources of the generated parts are tested.
        if line.startswith(".. generated: "):
            at = lines.index(".. end", at)
        directive = re.match(r"\s*\.\. code-block:: *(\w*)", line)
        at += 1
        if not directive and (not line.endswith("::") or ".. " in line):
            continue
        outer = len(line.expandtabs(8)) - len(line.expandtabs(8).lstrip())
        begun = at
        while begun < len(lines) and not lines[begun].strip():
            begun += 1
        inner = lines[begun].expandtabs(8) if begun < len(lines) else ""
        if len(inner) - len(inner.lstrip()) <= outer:
            continue
        text, at = indented(lines, begun)
        yield begun + 1, directive[1] if directive else "", text


def markdown(lines):
    at = 0
    while at < len(lines):
        fence = re.match(r"```([\w+]*)", lines[at])
        if fence:
            end = lines.index("```", at + 1)
            yield at + 2, fence[1], "\n".join(lines[at + 1 : end]) + "\n"
            at = end + 1
        elif lines[at].startswith("    ") and (not at or not lines[at - 1].strip()):
            text, end = indented(lines, at)
            yield at + 1, "", text
            at = end
        else:
            at += 1


def header(lines):
    """Read the comments of a header as reStructuredText. Other lines are empty."""
    inside = []
    comment = False
    for line in lines:
        comment = comment or line.lstrip().startswith("/*")
        text = re.sub(r"^\s*(/\*\*?|\*/|\*)", "", line) if comment else ""
        inside.append("" if text.strip() == "/" else text)
        if "*/" in line:
            comment = False
    yield from rst(inside)
    yield from programs(inside)


def programs(lines):
    """Read blocks that are indented by a tab, even if no line ends in :: before them."""
    at = 1
    while at < len(lines):
        begun = at
        at += 1
        if re.match(r"\s*\t\S", lines[begun]) and not lines[begun - 1].strip():
            text, at = indented(lines, begun)
            if kind_of("", text) != "text":
                yield begun + 1, "", text


def unroff(line):
    if line in (".PP", "."):
        return ""
    if line.startswith((".BI ", ".BR ", ".IB ", ".RB ", ".IR ")):
        line = "".join(shlex.split(line[4:].replace("\\", "\\\\")))
    elif line.startswith((".B ", ".I ")):
        line = line[3:].strip('"')
    line = re.sub(r"\\f[BIPR]", "", line)
    for escape, character in (
        ("\\-", "-"), ("\\(aq", "'"), ("\\(dq", '"'), ("\\&", ""), ("\\~", " "), ("\\e", "\\")
    ):
        line = line.replace(escape, character)
    return line


def manual(lines):
    """Read unfilled text and the synopsis of functions."""
    section, at = "", 0
    while at < len(lines):
        if lines[at].startswith(".SH "):
            section = lines[at][4:]
        at += 1
        if lines[at - 1] != ".nf":
            continue
        end = lines.index(".fi", at)
        block = [unroff(line) for line in lines[at:end] if line[:3] not in (".in", ".RS")]
        commands = [line[2:] for line in block if line.startswith("$ ")]
        text = "\n".join(commands or block).strip("\n") + "\n"
        # An ioctl is not a prototype: it contains a constant.
        if section == "SYNOPSIS" and ");" in text and "ioctl(" not in text:
            yield at + 1, "synopsis", text
        elif section != "SYNOPSIS":
            yield at + 1, "sh" if commands else "", text
        at = end


def python(lines):
    """Read the indented examples of docstrings."""
    for at, line in enumerate(lines):
        if line.rstrip().endswith("::"):
            begun = at + 1
            while not lines[begun].strip():
                begun += 1
            yield begun + 1, "py", indented(lines, begun)[0]


def reader(path):
    for suffix, read in ((".rst", rst), (".md", markdown), (".h", header), (".py", python)):
        if path.endswith(suffix):
            return read
    return manual


def main(out, paths):
    count = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number, language, text in reader(path)(lines):
            kind = "h" if language == "synopsis" else kind_of(language, text)
            name = "%s:%d.%s" % (path.replace("/", "_"), number, kind)
            with open(os.path.join(out, name), "w", encoding="utf-8") as file:
                file.write(text)
            count += 1
    if not count:
        sys.exit("blocks.py: no block in any of these files")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
