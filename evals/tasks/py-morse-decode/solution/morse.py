"""Texts to Morse code and back."""

from table import CODES, LETTERS


def encode(text):
    """The Morse code of a text: a space between letters, " / " between words.

    A character without a code is a ValueError.
    """
    words = []
    for word in text.upper().split():
        for letter in word:
            if letter not in CODES:
                raise ValueError(f"no code for {letter}")
        words.append(" ".join(CODES[letter] for letter in word))
    return " / ".join(words)


def decode(signal):
    """The text of a Morse signal, in upper case, with one space between words.

    Codes are separated by one or more spaces, words by "/". Spaces at the ends and around a "/" do not matter.
    An empty signal is an empty text. A code that is not in the table is a ValueError with that code in its message.
    """
    words = []
    for word in signal.split("/"):
        letters = ""
        for code in word.split():
            if code not in LETTERS:
                raise ValueError(f"unknown code: {code}")
            letters += LETTERS[code]
        words.append(letters)
    return " ".join(words)
