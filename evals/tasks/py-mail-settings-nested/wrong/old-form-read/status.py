def status(settings):
    host = settings["mail"].get("host")
    mail = f"by {host}" if host else "off"
    return f"{settings['title']}: {settings['members']} members, mail {mail}"
