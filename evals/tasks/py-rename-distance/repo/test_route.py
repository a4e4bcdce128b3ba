import json
import unittest

from geo import distance_km
from report import as_json
from route import length, nearest

STOPS = [("depot", (52.0, 13.0)), ("bakery", (52.0, 13.1)), ("school", (52.1, 13.1))]


class RouteTest(unittest.TestCase):
    def test_distance(self):
        self.assertAlmostEqual(distance_km((52.0, 13.0), (53.0, 13.0)), 111.19, places=1)

    def test_route(self):
        self.assertAlmostEqual(length(STOPS), 17.97, places=1)
        self.assertEqual(nearest(STOPS, (52.09, 13.1)), "school")

    def test_json(self):
        legs = json.loads(as_json(STOPS))["legs"]
        self.assertEqual(legs[0], {"from": "depot", "to": "bakery", "dist": 6.8})


if __name__ == "__main__":
    unittest.main()
