import unittest

from geometry import area, perimeter, signed_area, winding
from plots import describe, total_area

SQUARE = [(0, 0), (10, 0), (10, 10), (0, 10)]
TRIANGLE = [(0, 0), (4, 0), (0, 3)]


class HiddenTest(unittest.TestCase):
    def test_both_directions(self):
        for corners in (SQUARE, TRIANGLE):
            self.assertEqual(area(corners[::-1]), area(corners))
            self.assertGreater(area(corners), 0)
        self.assertEqual(area(TRIANGLE), 6)

    def test_winding(self):
        self.assertEqual([winding(SQUARE), winding(SQUARE[::-1]), winding([(0, 0), (1, 1), (2, 2)])], ["ccw", "cw", "flat"])
        self.assertLess(signed_area(SQUARE[::-1]), 0)

    def test_reports(self):
        self.assertEqual(total_area({"a": SQUARE, "b": SQUARE[::-1]}), 200)
        self.assertEqual(describe("t", TRIANGLE[::-1]), "t: 6.0 m², fence 12.0 m")

    def test_small(self):
        self.assertEqual((area([]), area([(1, 1), (2, 2)]), perimeter(TRIANGLE)), (0, 0, 12))


if __name__ == "__main__":
    unittest.main()
