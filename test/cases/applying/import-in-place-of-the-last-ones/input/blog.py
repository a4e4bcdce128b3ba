import re
import unicodedata


def slugify(text):
    plain = unicodedata.normalize("NFKD", text)
    return re.sub(r"[^a-z]+", "-", plain)


def url(title):
    return "/" + slugify(title)
