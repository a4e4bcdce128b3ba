def run(notes):
    return [escape(note) for note in notes]


def escape(text):
    return text.strip()
