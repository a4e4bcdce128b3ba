import unittest

from blog import post_url
from shop import product_url


class UrlTest(unittest.TestCase):
    def test_urls(self):
        self.assertEqual(post_url("Großes Fest!"), "/blog/grosses-fest")
        self.assertEqual(product_url("Süß & gut!", 7), "/shop/7-suss-gut")
