"""Formats the result."""


def as_text(pairs):
    """Counts to the right, words behind them."""
    if not pairs:
        return "no words\n"
    width = max(len(str(count)) for _, count in pairs)
    return "".join(f"{count:>{width}} {word}\n" for word, count in pairs)


def as_csv(pairs):
    return "word,count\n" + "".join(f"{word},{count}\n" for word, count in pairs)


FORMATS = {"text": as_text, "csv": as_csv}
