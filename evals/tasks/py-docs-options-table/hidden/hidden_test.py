import re
import unittest

from options import OPTIONS

TEXT = open("README.md", encoding="utf-8").read()


class HiddenTest(unittest.TestCase):
    def test_rows(self):
        rows = [[c.strip().strip("`") for c in line.strip().strip("|").split("|")] for line in TEXT.splitlines() if re.match(r"\|\s*`--", line)]
        self.assertEqual([(r[0], r[1]) for r in rows], [("--width", "240"), ("--height", "0"), ("--quality", "75"), ("--format", "jpeg")])
        for row in rows:
            self.assertGreater(len(row[2]), 5)
        self.assertRegex(rows[1][2], "height")
        self.assertRegex(rows[3][2], "png")

    def test_rest_stays(self):
        self.assertTrue(TEXT.startswith("# thumbs\n\nMakes small pictures of large ones.\n\n## Options\n\n"))
        self.assertTrue(TEXT.rstrip().endswith("## Thanks\n\nTo all who sent pictures of their cats. The option `--cats` was a joke."))
        self.assertRegex(TEXT, r"\|\s*option\s*\|\s*default\s*\|\s*meaning\s*\|")

    def test_code_stays(self):
        self.assertEqual([o[0] for o in OPTIONS], ["--width", "--height", "--quality", "--fake-clock", "--format"])
        self.assertEqual(OPTIONS[0][1], 240)


if __name__ == "__main__":
    unittest.main()
