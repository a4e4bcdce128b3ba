import unittest

from lanes import Lane, Vehicle
from loading import load, report


def lane_with(length, *lengths):
    lane = Lane(1, length)
    for number, each in enumerate(lengths):
        lane.add(Vehicle(f"V{number}", each))
    return lane


class HiddenTest(unittest.TestCase):
    def test_exact(self):
        self.assertTrue(lane_with(7.5).fits(Vehicle("X", 7.5)))
        self.assertTrue(lane_with(10.5, 5).fits(Vehicle("X", 5)))
        self.assertTrue(lane_with(16, 5, 5).fits(Vehicle("X", 5)))
        self.assertEqual(load([Lane(1, 21.5)], [Vehicle(str(n), 5) for n in range(4)]), [])

    def test_the_gap_between_stays(self):
        self.assertFalse(lane_with(10, 5).fits(Vehicle("X", 5)))
        self.assertFalse(lane_with(15.5, 5, 5).fits(Vehicle("X", 5)))
        self.assertFalse(lane_with(7.5).fits(Vehicle("X", 8)))
        self.assertFalse(lane_with(12, 12).fits(Vehicle("X", 0.5)))
        self.assertEqual(load([Lane(1, 21)], [Vehicle(str(n), 5) for n in range(4)]), ["3"])

    def test_room(self):
        self.assertEqual(lane_with(20).room(), 20)
        self.assertEqual(lane_with(20, 5).room(), 14.5)
        self.assertEqual(lane_with(20, 5, 4).room(), 10)
        self.assertEqual(lane_with(10.5, 5, 5).room(), 0)
        self.assertEqual(lane_with(12, 12).room(), 0)
        self.assertEqual(lane_with(12, 11.75).room(), 0)

    def test_loading(self):
        lanes = [Lane(1, 10), Lane(2, 10.5)]
        self.assertEqual(load(lanes, [Vehicle("A", 5), Vehicle("B", 5), Vehicle("C", 10)]), [])
        self.assertEqual(report(lanes), "lane 1: C (room 0.0 m)\nlane 2: A, B (room 0.0 m)")
        with self.assertRaisesRegex(ValueError, "^D does not fit in lane 2$"):
            lanes[1].add(Vehicle("D", 1))


if __name__ == "__main__":
    unittest.main()
