from text import slugify


def url(title):
    return "/" + slugify(title)
