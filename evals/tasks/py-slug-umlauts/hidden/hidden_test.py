import unittest

from articles import Articles
from slugs import MAX_LENGTH, slugify, unique_slug


class HiddenTest(unittest.TestCase):
    def test_umlauts(self):
        self.assertEqual(slugify("Über Öl"), "ueber-oel")
        self.assertEqual(slugify("ÄRGER mit FÜSSEN, Straße 5"), "aerger-mit-fuessen-strasse-5")

    def test_decomposed_umlaut_or_accent(self):
        self.assertEqual(slugify("cafe\u0301 cre\u0300me"), "cafe-creme")

    def test_accents(self):
        self.assertEqual(slugify("Señor Ångström à la carte"), "senor-angstroem-a-la-carte")

    def test_other_scripts_are_left_out(self):
        self.assertEqual(slugify("日本 2024"), "2024")
        self.assertEqual(unique_slug("日本", {"article"}), "article-2")

    def test_plain(self):
        self.assertEqual(slugify("  A -- b_c  "), "a-b-c")
        self.assertEqual(slugify("does not change: dose, aether, 3 oe"), "does-not-change-dose-aether-3-oe")
        self.assertLessEqual(len(slugify("ß" * 80)), MAX_LENGTH)

    def test_addresses(self):
        a = Articles()
        a.add("Grün", "")
        a.add("Gruen", "")
        self.assertEqual(a.addresses(), ["/articles/gruen", "/articles/gruen-2"])


if __name__ == "__main__":
    unittest.main()
