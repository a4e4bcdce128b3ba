import re
import unicodedata


def slugify(name):
    name = name.replace("ß", "ss")
    name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", name)


def product_url(name, number):
    return f"/shop/{number}-{slugify(name)}"
