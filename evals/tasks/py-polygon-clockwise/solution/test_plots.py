import unittest

from geometry import area, winding
from plots import describe, total_area

SQUARE = [(0, 0), (10, 0), (10, 10), (0, 10)]


class PlotTest(unittest.TestCase):
    def test_area(self):
        self.assertEqual(area(SQUARE), 100)

    def test_area_of_clockwise_corners(self):
        self.assertEqual(area(SQUARE[::-1]), 100)
        self.assertEqual(winding(SQUARE[::-1]), "cw")

    def test_line_has_no_area(self):
        self.assertEqual(area([(0, 0), (1, 1)]), 0)

    def test_winding(self):
        self.assertEqual(winding(SQUARE), "ccw")

    def test_report(self):
        self.assertEqual(total_area({"a": SQUARE, "b": SQUARE}), 200)
        self.assertEqual(describe("a", SQUARE), "a: 100.0 m², fence 40.0 m")


if __name__ == "__main__":
    unittest.main()
