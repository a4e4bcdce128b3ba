"""Names of pages."""
import json
import re


def slug(title):
    """Words joined by dashes."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def dump(titles):
    return json.dumps([slug(title) for title in titles])
