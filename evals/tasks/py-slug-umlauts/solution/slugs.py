"""Addresses of articles, made from their titles."""

import re
import unicodedata

MAX_LENGTH = 60
GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def slugify(title):
    """A title as part of an address: lower case letters, digits and single dashes."""
    text = unicodedata.normalize("NFC", title.lower()).translate(GERMAN)
    text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    text = re.sub(r"[^a-z0-9]+", "-", text)
    return text.strip("-")[:MAX_LENGTH].rstrip("-")


def unique_slug(title, taken):
    """A slug that is not in `taken`: a number is put behind it when needed."""
    base = slugify(title) or "article"
    slug = base
    number = 2
    while slug in taken:
        slug = f"{base}-{number}"
        number += 1
    return slug
