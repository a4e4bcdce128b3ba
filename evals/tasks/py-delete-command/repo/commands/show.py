def run(notes):
    return "\n".join(f"- {note}" for note in notes)
