from text import slugify


def post_url(title):
    return "/blog/" + slugify(title)
