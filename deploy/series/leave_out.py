#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""leave_out.py PARTS DRIVER INCLUDE SELFTESTS: leave the optional parts out of a kernel tree.
leave_out.py PARTS <PAGE: leave the sections about them out of a page of the manual.

PARTS lists the files of each part and the names that it defines. Other files mention these names
only in whole declarations, members, table entries and statements. These are removed, together
with the condition and the comment of a statement. The program fails if a name is left, if a
condition with a name has other reasons, or if a replacement matches nothing. Selftests that mention
a name are left out.
"""
import pathlib
import re
import sys

KINDS = 'files', 'names', 'members', 'sections', 'replace', 'headings', 'words', 'tests'


# Selftests, and helpers of selftests, that are cut instead of left out.
CUT_TESTS = 'wheel_test', 'wheel_machine', 'p1_never_early'


def read_parts(path):
    """Return the lines of each kind."""
    parts = {kind: [] for kind in KINDS}
    for line in path.read_text().splitlines():
        kind, _, rest = line.partition(' ')
        if kind in KINDS:
            parts[kind] += [rest] if kind in ('replace', 'sections', 'headings') else rest.split()
    return parts


def read_text(path):
    """Return the sentences of comments to replace. They may continue on the next line."""
    for line in path.read_text().splitlines():
        old, arrow, new = line.partition(' => ')
        if arrow:
            words = map(re.escape, old.split())
            yield (re.compile(r'\s+(?:\*\s+)?'.join(words)),
                   new.replace(r'\n', '\n').replace(r'\t', '\t'))


def items(text):
    """Split a file into comments, blank lines, and lines of code with their continuations."""
    lines = text.splitlines(keepends=True)
    while lines:
        item = lines.pop(0)
        if item.startswith('//'):
            pass
        elif item.lstrip().startswith('/*'):
            while '*/' not in item:
                item += lines.pop(0)
        elif item.startswith('#'):
            while item.endswith('\\\n'):
                item += lines.pop(0)
        elif item.strip():
            while lines and open_ended(item):
                item += lines.pop(0)
        yield item


def open_ended(item):
    code = re.sub(r'/\*.*?\*/|"(\\.|[^"])*"', '', item, flags=re.S).rstrip()
    return code.count('(') > code.count(')') or code[-1] in '=&|?+-' or \
        code.count('{') > code.count('}') + code.endswith('{') or \
        not re.search(r'[;{},:)]$|^\w+$|\b(else|do)$', code)


def is_comment(item):
    return item.lstrip().startswith('/*')


def code_of(item):
    return re.sub(r'/\*.*?\*/', '', item, flags=re.S)


def indent(item):
    return len(item) - len(item.lstrip('\t'))


def is_head(item):
    """True for the head of an if, else or loop without braces."""
    return re.match(r'\t+((else )?(if|for|while) \(.*\)|else)\n$', item, flags=re.S)


def wrap(line):
    """Wrap a line of a comment that has become too long."""
    start = re.match(r'\s*\*\s+', line)
    if not start or len(line.expandtabs()) <= 101:
        return line
    at = len(line)
    while len(line[:at].expandtabs()) > 100:
        at = line.rindex(' ', 0, at)
    prefix = ' *\t' if line.startswith(' * @') else start.group()
    return line[:at] + '\n' + wrap(prefix + line[at + 1:])


class Cutter:
    """Removes what mentions one of the names."""

    def __init__(self, parts, text):
        self.text = text
        self.names = re.compile(r'\b(%s)\b' % '|'.join(parts['names']))
        self.members = parts['members']
        self.replace = [(re.compile(rule[0]), rule[1][1:])
                        for rule in (line.split(' =>', 1) for line in parts['replace'])]
        self.used = set()
        self.errors = []

    def mentions(self, item):
        return not is_comment(item) and self.names.search(code_of(item))

    def apply(self, rules, text):
        """Replace what matches, and record the rules that have matched."""
        for old, new in rules:
            text, n = old.subn(new, text)
            if n:
                self.used.add(old)
        return text

    def unused(self):
        return [old.pattern for old, _ in self.text + self.replace if old not in self.used]

    def cut(self, path, text):
        text = self.apply(self.text, text)
        text = self.apply(self.replace, text)
        for member in self.members:
            directory, name = member.split('/')
            if path.parent.name == directory:
                text = re.sub(r' \* @%s:.*\n( \*\t.*\n)*' % name, '', text)
                text = re.sub(r'\n\t+[^(){}=/\n]*[\t *]%s( : \d+|\[\w+\])?;' % name, '', text)
        self.rest = list(items(text))
        self.done = []
        while self.rest:
            self.step(self.rest.pop(0))
        text = ''.join(self.done)
        text = re.sub(r'(\t+)union \{\n\t+([^;{}]*;)\n\t+\};\n', r'\1\2\n', text)
        text = re.sub(r'[ \t]+\n', '\n', text)
        text = re.sub(r'\{\n\n', '{\n', re.sub(r'\n\n\n+', '\n\n', text))
        text = ''.join(map(wrap, text.splitlines(keepends=True)))
        return re.sub(r'\n\n(\t*\})', r'\n\1', text)

    def step(self, item):
        if is_head(item):
            self.branch(item)
        elif self.mentions(item):
            if self.rest[:1] == ['{\n'] or item.rstrip().endswith('{'):
                end = '\t' * indent(item) + '}'
                while not self.rest.pop(0).startswith(end):
                    pass
            self.drop_comment()
            if not indent(item):
                self.drop_blank()
        else:
            self.done.append(item)

    def branch(self, head):
        """Keep an if statement, or drop it, except for the else branch."""
        body = []
        while not body or is_comment(body[-1]) or is_head(body[-1]):
            body.append(self.rest.pop(0))
        if not self.mentions(head) and not any(self.mentions(item) for item in body):
            self.done += [head] + body
            return
        if self.mentions(head) and '||' in head:
            self.errors.append('a condition has other reasons: ' + head)
        if head.lstrip().startswith('else'):
            return
        self.drop_comment()
        if self.rest and self.rest[0] == '\t' * indent(head) + 'else\n':
            self.rest.pop(0)
            self.rest[0] = self.rest[0].replace('\n\t', '\n')[1:]

    def drop_comment(self):
        if self.done and is_comment(self.done[-1]):
            self.done.pop()

    def drop_blank(self):
        """Drop the blank line after a declaration if another one precedes it."""
        if self.rest and not self.rest[0].strip() and self.done and not self.done[-1].strip():
            self.rest.pop(0)


def cut_sections(text, sections):
    """Drop the sections of a public header, which begin with kernel-doc of these titles."""
    for title in sections:
        text = re.sub(r'/\*\*\n \* %s.*?\*/\n.*?\n\n' % re.escape(title), '', text, flags=re.S)
    return text


def leave_out(driver, name):
    """Remove a file of the driver, and its line in a Makefile."""
    path = driver / name
    path.unlink()
    for makefile in driver / 'Makefile', path.parent / 'Makefile':
        if makefile.exists():
            name = str(path.relative_to(makefile.parent).with_suffix('.o'))
            text = makefile.read_text()
            makefile.write_text(re.sub(r'.* \+= %s\n' % re.escape(name), '', text))


def select_tests(directory, cutter, tests):
    """Remove the tests, and the helpers of only these, that mention a name or a removed header."""
    removed = set(tests)
    for path in sorted(directory.rglob('*.[ch]')):
        if path.stem in CUT_TESTS:
            path.write_text(cutter.cut(path, path.read_text()))
        elif any(cutter.mentions(item) for item in items(path.read_text())):
            removed.add(path.name)
    while True:
        headers = re.compile(r'#include "(contract/)?(%s)"' % '|'.join(removed))
        more = {path.name for path in directory.rglob('*.[ch]')
                if headers.search(path.read_text()) or
                path.with_suffix('.h').name in removed} - removed
        if not more:
            break
        removed |= more
    for path in list(directory.rglob('*.[ch]')):
        if path.name in removed or path.parent.name == 'contract':
            path.unlink()


def cut_page(text, parts, cutter):
    """Drop the sections of a page about the parts, and the rows and paragraphs with a name."""
    text = cutter.apply(cutter.text, text)
    for title in parts['headings']:
        text = re.sub(r'^%s\n=+\n\n.*?(?=^[^\n]+\n=+\n\n|\Z)' % re.escape(title), '', text,
                      flags=re.S | re.M)
    name = re.compile(r'\b(%s)\b' % '|'.join(parts['words'] + parts['names']))
    done = []
    for block in re.split(r'(\n{2,})', text):
        if re.match(r'=+ +=', block):
            rows = re.split(r'\n(?! )', block)
            block = '\n'.join(row for row in rows if not name.search(row))
        elif name.search(block) and not block.startswith(('.. ', '\t', ' ')):
            block = ''
        done.append(block)
    return re.sub(r'\n{3,}', '\n\n', ''.join(done))


def main():
    parts = read_parts(pathlib.Path(sys.argv[1]))
    page = len(sys.argv) == 2
    text = pathlib.Path(sys.argv[1]).with_name('pages' if page else 'text')
    cutter = Cutter(parts, list(read_text(text)))
    if page:
        print(cut_page(sys.stdin.read(), parts, cutter), end='')
        return
    driver = pathlib.Path(sys.argv[2])
    for name in parts['files']:
        leave_out(driver, name)
    trees = driver, pathlib.Path(sys.argv[3])
    for path in sorted(path for tree in trees for path in tree.rglob('*')):
        if path.suffix not in ('.c', '.h'):
            continue
        text = path.read_text()
        if 'include' in path.parts:
            text = cut_sections(text, parts['sections'])
        text = cutter.cut(path, text)
        cutter.errors += [f'{path}: {item}' for item in items(text) if cutter.mentions(item)]
        path.write_text(text)
    select_tests(pathlib.Path(sys.argv[4]), cutter, parts['tests'])
    errors = cutter.errors + [f'nothing matches {rule}' for rule in cutter.unused()]
    sys.exit('\n'.join(errors) or 0)


main()
