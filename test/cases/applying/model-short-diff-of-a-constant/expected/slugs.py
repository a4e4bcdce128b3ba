"""Addresses of articles, made from their titles."""

import re

MAX_LENGTH = 60


def slugify(title):
    """A title as part of an address: lower case letters, digits and single dashes."""
    text = title.lower()
    text = re.sub(r"[^\w\s]", "-", text)
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
