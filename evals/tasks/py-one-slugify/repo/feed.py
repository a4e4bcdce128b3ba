from blog import post_url, slugify


def entry(title):
    return {"id": slugify(title), "link": post_url(title)}
