import re
import unittest
from pathlib import Path

import geo
import report
import route

STOPS = [("a", (0.0, 0.0)), ("b", (0.0, 1.0)), ("c", (1.0, 1.0))]


class HiddenTest(unittest.TestCase):
    def test_the_name(self):
        self.assertTrue(callable(geo.distance_km))
        self.assertEqual(geo.distance_km((1, 1), (1, 1)), 0)
        for module in (geo, report, route):
            self.assertFalse(hasattr(module, "dist"), module.__name__)

    def test_no_call_left(self):
        for name in ("geo.py", "route.py", "report.py"):
            text = Path(name).read_text()
            self.assertIsNone(re.search(r"\bdist\(|import dist\b|geo\.dist\b", text), name)
            if name != "geo.py":
                self.assertIn("distance_km", text, name)

    def test_the_rest(self):
        self.assertAlmostEqual(route.length(STOPS), 222.39, places=1)
        self.assertEqual(route.nearest(STOPS, (0.1, 0.9)), "b")
        self.assertEqual(report.legs(STOPS), [
            {"from": "a", "to": "b", "dist": 111.2},
            {"from": "b", "to": "c", "dist": 111.2},
        ])


if __name__ == "__main__":
    unittest.main()
