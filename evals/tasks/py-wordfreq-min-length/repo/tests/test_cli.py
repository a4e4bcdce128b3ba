import contextlib
import io
import unittest

from wordfreq.cli import main

TEXT = "The cat and the dog.\nA dog is a dog, a cat is a cat; the end\n"


def run(*argv):
    out = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):
        main(list(argv), stdin=io.StringIO(TEXT), stdout=out)
    return out.getvalue()


class CliTest(unittest.TestCase):
    def test_top(self):
        self.assertEqual(run("--top", "2"), "4 a\n3 cat\n")

    def test_csv(self):
        self.assertEqual(run("--top", "1", "--format", "csv"), "word,count\na,4\n")

    def test_top_must_be_positive(self):
        with self.assertRaises(SystemExit):
            run("--top", "0")

    def test_min_length(self):
        self.assertEqual(run("--min-length", "3"), "3 cat\n3 dog\n3 the\n1 and\n1 end\n")


if __name__ == "__main__":
    unittest.main()
