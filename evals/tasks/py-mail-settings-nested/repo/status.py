def status(settings):
    mail = "off" if not settings.get("smtp_host") else f"by {settings['smtp_host']}"
    return f"{settings['title']}: {settings['members']} members, mail {mail}"
