import unittest

import blog
import feed
import shop
import text


class HiddenTest(unittest.TestCase):
    def test_one_place(self):
        self.assertEqual(text.slugify.__module__, "text")
        for name in ("blog.py", "shop.py", "feed.py"):
            with open(name, encoding="utf-8") as file:
                source = file.read()
            self.assertNotIn("def slugify", source, name)
            self.assertNotIn("unicodedata", source, name)
            self.assertIn("text", source, name)
        for module in (blog, shop, feed):
            self.assertIs(getattr(module, "slugify", text.slugify), text.slugify)

    def test_both(self):
        self.assertEqual(text.slugify("  Straße -- frei? "), "strasse-frei")
        self.assertEqual(blog.post_url("Maß"), "/blog/mass")
        self.assertEqual(shop.product_url("Tasse (groß)", 3), "/shop/3-tasse-gross")
        self.assertEqual(feed.entry("Après-Ski!"), {"id": "apres-ski", "link": "/blog/apres-ski"})
