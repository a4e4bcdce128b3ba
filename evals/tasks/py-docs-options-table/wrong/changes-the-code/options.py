"""Options of the command. Hidden ones are for tests only."""

import argparse

OPTIONS = [
    ("--width", 200, "width in pixels", False),
    ("--height", 0, "height in pixels, 0 keeps the shape", False),
    ("--quality", 75, "quality of JPEG, 1 to 100", False),
    ("--fake-clock", 0, "time in seconds", True),
    ("--format", "jpeg", "jpeg, png or webp", False),
]


def parser():
    result = argparse.ArgumentParser(prog="thumbs")
    for name, default, text, hidden in OPTIONS:
        result.add_argument(name, default=default, type=type(default), help=argparse.SUPPRESS if hidden else text)
    return result
