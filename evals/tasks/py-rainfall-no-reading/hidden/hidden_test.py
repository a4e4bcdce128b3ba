import subprocess
import sys
import unittest

from gauge import parse
from summary import days, mean, report, total


class HiddenTest(unittest.TestCase):
    def test_parse_is_as_before(self):
        self.assertEqual(parse("a 1.5\n\nb -\nc 0\n"), [("a", 1.5), ("b", None), ("c", 0.0)])

    def test_left_out(self):
        readings = [("a", None), ("b", 4.0), ("c", 0.0), ("d", None), ("e", 2.0)]
        self.assertEqual(total(readings), 6.0)
        self.assertEqual(mean(readings), 2.0)
        self.assertEqual(days(readings), 5)

    def test_no_reading_at_all(self):
        for readings in ([], [("a", None)], [("a", None), ("b", None)]):
            self.assertEqual(total(readings), 0)
            self.assertEqual(mean(readings), 0)
        self.assertEqual(report([("a", None)]), "days 1\ntotal 0.0 mm\nmean 0.0 mm")

    def test_dry(self):
        self.assertEqual(mean([("a", 0.0), ("b", 0.0)]), 0)
        self.assertEqual(mean([("a", 0.0), ("b", 5.0)]), 2.5)

    def test_program(self):
        done = subprocess.run([sys.executable, "rain.py", "may.txt"], capture_output=True, text=True)
        self.assertEqual(done.stdout, "days 4\ntotal 10.8 mm\nmean 3.6 mm\n")


if __name__ == "__main__":
    unittest.main()
