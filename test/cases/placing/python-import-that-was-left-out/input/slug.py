"""Names of pages."""
import json


def slug(title):
    """Words joined by dashes, as re.sub would do it."""
    return title.lower().replace(" ", "-")


def dump(titles):
    return json.dumps([slug(title) for title in titles])
