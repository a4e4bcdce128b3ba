import unittest

from tool import main


class XmlTest(unittest.TestCase):
    def test_xml(self):
        self.assertEqual(main(["xml"], ["a&b"]), "<notes><note>a&amp;b</note></notes>")
