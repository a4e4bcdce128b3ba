from xml_out import escape


def run(notes):
    return [escape(note) for note in notes]
