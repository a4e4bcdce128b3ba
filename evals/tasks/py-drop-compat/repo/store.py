import json

from compat import iteritems, open_text


def save(path, notes):
    with open_text(path, "w") as file:
        for name, note in iteritems(notes):
            file.write(json.dumps([name, note], ensure_ascii=False) + "\n")


def load(path):
    with open_text(path) as file:
        return dict(json.loads(line) for line in file)
