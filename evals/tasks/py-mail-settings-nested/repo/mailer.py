def envelope(settings, to):
    return {
        "server": f"{settings['smtp_host']}:{settings['smtp_port']}",
        "from": settings["mail_from"],
        "to": to,
    }
