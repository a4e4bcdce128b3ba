from blog import post_url
from text import slugify


def entry(title):
    return {"id": slugify(title), "link": post_url(title)}
