"""The command line."""

import argparse
import sys

from wordfreq.counting import count_words, most_frequent
from wordfreq.output import FORMATS


def build_parser():
    parser = argparse.ArgumentParser(prog="wordfreq", description="Prints the most frequent words.")
    parser.add_argument("--top", type=int, default=10, metavar="N", help="how many words to print (10)")
    parser.add_argument("--format", choices=sorted(FORMATS), default="text")
    parser.add_argument("files", nargs="*", metavar="FILE")
    return parser


def read_lines(files, stdin):
    if not files:
        yield from stdin
    for name in files:
        with open(name, encoding="utf-8") as file:
            yield from file


def main(argv, stdin=sys.stdin, stdout=sys.stdout):
    parser = build_parser()
    options = parser.parse_args(argv)
    if options.top < 1:
        parser.error("--top must be at least 1")
    counts = count_words(read_lines(options.files, stdin))
    pairs = most_frequent(counts, options.top)
    stdout.write(FORMATS[options.format](pairs))
    return 0
