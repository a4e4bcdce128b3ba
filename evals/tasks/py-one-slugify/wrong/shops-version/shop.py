from text import slugify


def product_url(name, number):
    return f"/shop/{number}-{slugify(name)}"
