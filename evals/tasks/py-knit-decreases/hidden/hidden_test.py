import unittest

from rows import check, count
from stitches import effect


class HiddenTest(unittest.TestCase):
    def test_together(self):
        self.assertEqual(effect("k2tog"), (2, 1))
        self.assertEqual(effect("p2tog"), (2, 1))
        self.assertEqual(effect("k3tog"), (3, 1))
        self.assertEqual(effect("p3tog"), (3, 1))
        self.assertEqual(effect("k10tog"), (10, 1))

    def test_plain(self):
        for number in (1, 2, 3, 12):
            self.assertEqual(effect(f"k{number}"), (number, number))
            self.assertEqual(effect(f"p{number}"), (number, number))
        self.assertEqual(effect("yo"), (0, 1))
        self.assertEqual(effect("m1"), (0, 1))
        self.assertEqual(effect("sl1"), (1, 1))
        self.assertEqual(effect("ssk"), (2, 1))

    def test_rows(self):
        self.assertEqual(count("(k2tog yo) x4 p3tog k1"), (12, 10))
        self.assertEqual(check(["k2 (k3tog) x2 k2", "p2tog p4", "k5"], 10), [])
        self.assertEqual(check(["k2tog k2", "p4"], 4), ["row 2: works 4 of 3 stitches"])

    def test_unknown(self):
        for token in ("tog", "ktog", "x2tog", "k"):
            with self.assertRaisesRegex(ValueError, f"^unknown stitch: {token}$"):
                effect(token)


if __name__ == "__main__":
    unittest.main()
