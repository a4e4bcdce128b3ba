import contextlib
import io
import unittest

from wordfreq.cli import main
from wordfreq.counting import count_words, most_frequent

TEXT = "The cat and the dog.\nA dog is a dog, a cat is a cat; the end\nÜber élan 12 of mice\n"


def run(*argv, text=TEXT):
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with contextlib.redirect_stderr(err):
        try:
            main(list(argv), stdin=io.StringIO(text), stdout=out)
        except SystemExit as stop:
            code = stop.code
    return code, out.getvalue(), err.getvalue()


class HiddenTest(unittest.TestCase):
    def test_boundary(self):
        self.assertEqual(run("--min-length", "4")[1], "1 mice\n1 élan\n1 über\n")
        self.assertEqual(run("--min-length=5")[1], "no words\n")
        self.assertEqual(run("--min-length", "2", "--top", "5")[1], "3 cat\n3 dog\n3 the\n2 is\n1 and\n")

    def test_top_counts_what_is_left(self):
        self.assertEqual(run("--min-length", "3", "--top", "2")[1], "3 cat\n3 dog\n")
        self.assertEqual(run("--top", "1", "--min-length", "4")[1], "1 mice\n")
        self.assertEqual(run("--top", "1", "--min-length", "3", "--format", "csv")[1], "word,count\ncat,3\n")

    def test_default(self):
        self.assertEqual(run("--top", "2")[1], "4 a\n3 cat\n")
        self.assertEqual(run("--top", "99")[1], run("--top", "99", "--min-length", "1")[1])
        self.assertIn("4 a\n", run("--min-length", "1")[1])

    def test_refused(self):
        for value in ("0", "-2"):
            code, out, err = run(f"--min-length={value}")
            self.assertEqual((code, out), (2, ""))
            self.assertIn("--min-length must be at least 1", err)
        self.assertEqual(run("--min-length", "x")[0], 2)
        self.assertIn("--top must be at least 1", run("--top", "0")[2])

    def test_functions_stay(self):
        counts = count_words(["a bb a"])
        self.assertEqual(dict(counts), {"a": 2, "bb": 1})
        self.assertEqual(most_frequent(counts, 1), [("a", 2)])


if __name__ == "__main__":
    unittest.main()
