import os
import unittest

from iniread import IniError, parse, read

SAMPLE = os.path.join(os.path.dirname(__file__), "sample.ini")


class IniTest(unittest.TestCase):
    def test_sections(self):
        self.assertEqual(parse("a=1\n[x]\nB = two\n"), {"": {"a": "1"}, "x": {"b": "two"}})

    def test_comment_behind_value(self):
        self.assertEqual(read(SAMPLE)["server"]["port"], "8080")

    def test_quoted(self):
        self.assertEqual(read(SAMPLE)["server"]["name"], "shop #1")

    def test_bad_line(self):
        with self.assertRaises(IniError):
            parse("what is this")


if __name__ == "__main__":
    unittest.main()
