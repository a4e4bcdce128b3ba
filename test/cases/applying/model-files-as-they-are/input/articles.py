"""Articles of a small magazine."""

from slugs import unique_slug


class Articles:
    def __init__(self):
        self._by_slug = {}

    def add(self, title, text):
        slug = unique_slug(title, self._by_slug)
        self._by_slug[slug] = (title, text)
        return slug

    def title_of(self, slug):
        return self._by_slug[slug][0]

    def addresses(self):
        return [f"/articles/{slug}" for slug in sorted(self._by_slug)]
