import json


def save(path, notes):
    with open(path, "w") as file:
        for name, note in notes.items():
            file.write(json.dumps([name, note], ensure_ascii=False) + "\n")


def load(path):
    with open(path) as file:
        return dict(json.loads(line) for line in file)
