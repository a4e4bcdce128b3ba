import unittest

from rows import check, count, expand


class RowsTest(unittest.TestCase):
    def test_expand(self):
        self.assertEqual(expand("k1 (p2 k2) x2 k1"), ["k1", "p2", "k2", "p2", "k2", "k1"])

    def test_count(self):
        self.assertEqual(count("k10"), (10, 10))
        self.assertEqual(count("k2 yo p3 ssk"), (7, 7))

    def test_decrease(self):
        self.assertEqual(count("k4 k2tog"), (6, 5))
        self.assertEqual(check(["k4 k2tog", "p5"], 6), [])

    def test_problem(self):
        self.assertEqual(check(["k4", "p5"], 4), ["row 2: works 5 of 4 stitches"])

    def test_unknown(self):
        with self.assertRaisesRegex(ValueError, "unknown stitch: foo"):
            count("k2 foo")


if __name__ == "__main__":
    unittest.main()
