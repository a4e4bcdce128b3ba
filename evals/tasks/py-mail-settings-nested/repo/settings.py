import json


def load(path="settings.json"):
    with open(path, encoding="utf-8") as file:
        settings = json.load(file)
    settings.setdefault("smtp_port", 25)
    return settings
