import unittest

from articles import Articles
from slugs import slugify


class SlugTest(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(slugify("Ten Ways to Save!"), "ten-ways-to-save")

    def test_umlauts(self):
        self.assertEqual(slugify("Größe ändern"), "groesse-aendern")

    def test_accents(self):
        self.assertEqual(slugify("Café"), "cafe")

    def test_unique(self):
        articles = Articles()
        articles.add("News", "a")
        self.assertEqual(articles.add("News", "b"), "news-2")


if __name__ == "__main__":
    unittest.main()
