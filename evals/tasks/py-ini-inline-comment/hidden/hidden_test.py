import unittest

from iniread import IniError, parse


def value(raw):
    return parse("k =" + raw)[""]["k"]


class HiddenTest(unittest.TestCase):
    def test_needs_white_space_before(self):
        self.assertEqual(value(" a;b#c"), "a;b#c")
        self.assertEqual(value(" #ff0000"), "")
        self.assertEqual(value(" http://x/#top # main"), "http://x/#top")

    def test_both_marks_and_tabs(self):
        self.assertEqual(value(" one # two ; three"), "one")
        self.assertEqual(value(" one\t; two"), "one")

    def test_quotes(self):
        self.assertEqual(value(' "a ; b"'), "a ; b")
        self.assertEqual(value(' "  kept  " ; not'), "  kept  ")
        self.assertEqual(value(' ""'), "")

    def test_quotes_inside(self):
        self.assertEqual(value(' 5" disk'), '5" disk')

    def test_as_before(self):
        self.assertEqual(value(""), "")
        self.assertEqual(value("  x = y  "), "x = y")
        with self.assertRaisesRegex(IniError, "line 2"):
            parse("a=1\n[x")

    def test_line_ends_kept(self):
        data = open("iniread.py", "rb").read()
        self.assertEqual(data.count(b"\n"), data.count(b"\r\n"))


if __name__ == "__main__":
    unittest.main()
