def envelope(settings, to):
    mail = settings["mail"]
    return {
        "server": f"{mail['host']}:{mail['port']}",
        "from": mail["from"],
        "to": to,
    }
