"""Counts words."""

import re
from collections import Counter

WORD = re.compile(r"[^\W\d_]+")


def words(text):
    """The words of a text in lower case. Digits and signs are no part of a word."""
    return [word.lower() for word in WORD.findall(text)]


def count_words(lines):
    """A Counter of the words in all lines."""
    counts = Counter()
    for line in lines:
        counts.update(words(line))
    return counts


def most_frequent(counts, top):
    """The first `top` (word, count) pairs: most frequent first, then by alphabet."""
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ordered[:top]
