"""Reads configuration files with sections and keys."""

import re


class IniError(Exception):
    """A line that cannot be read, with its number."""


def parse_value(raw):
    """The value of a key as text."""
    raw = raw.strip()
    if raw.startswith('"') and '"' in raw[1:]:
        return raw[1 : raw.index('"', 1)]
    return re.split(r"(?:^|\s)[;#]", raw, maxsplit=1)[0].rstrip()


def parse(text):
    """Gives {section: {key: value}}. Keys before the first section are in section ''."""
    sections = {"": {}}
    current = ""
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line[0] in ";#":
            continue
        if line.startswith("["):
            if "]" not in line:
                raise IniError(f"line {number}: section without ]")
            current = line[1 : line.index("]")].strip()
            sections.setdefault(current, {})
            continue
        key, found, raw = line.partition("=")
        if not found:
            raise IniError(f"line {number}: expected key = value")
        sections[current][key.strip().lower()] = parse_value(raw)
    return sections


def read(path):
    with open(path, encoding="utf-8") as file:
        return parse(file.read())
