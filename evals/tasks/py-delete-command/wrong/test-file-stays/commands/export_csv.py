def escape(text):
    """Without line breaks and control characters."""
    return "".join(" " if ord(char) < 32 else char for char in text).strip()


def run(notes, separator=";"):
    rows = ['"' + escape(note).replace('"', '""') + '"' for note in notes]
    return separator.join(rows)
