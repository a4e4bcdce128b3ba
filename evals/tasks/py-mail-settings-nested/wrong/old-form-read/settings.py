import json

OLD = ("smtp_host", "smtp_port", "mail_from")


def load(path="settings.json"):
    with open(path, encoding="utf-8") as file:
        settings = json.load(file)
    for key in OLD:
        settings.pop(key, None)
    settings.setdefault("mail", {}).setdefault("port", 25)
    return settings
