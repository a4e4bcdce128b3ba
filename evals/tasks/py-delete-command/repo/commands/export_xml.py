from xml.sax.saxutils import escape as escape_xml


def escape(text):
    """Without line breaks and control characters."""
    return "".join(" " if ord(char) < 32 else char for char in text).strip()


def run(notes):
    rows = [f"<note>{escape_xml(escape(note))}</note>" for note in notes]
    return "<notes>" + "".join(rows) + "</notes>"
