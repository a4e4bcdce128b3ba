import json

OLD = ("smtp_host", "smtp_port", "mail_from")


def load(path="settings.json"):
    with open(path, encoding="utf-8") as file:
        settings = json.load(file)
    for key in OLD:
        if key in settings:
            raise SystemExit(f"{path}: {key} is an old setting; write it below mail")
    settings.setdefault("mail", {}).setdefault("port", 25)
    return settings
