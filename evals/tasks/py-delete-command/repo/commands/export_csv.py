from commands.export_xml import escape


def run(notes, separator=";"):
    rows = ['"' + escape(note).replace('"', '""') + '"' for note in notes]
    return separator.join(rows)
