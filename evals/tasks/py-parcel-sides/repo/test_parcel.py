import unittest

from parcel import Parcel
from sizes import TooBig, size_class


class ParcelTest(unittest.TestCase):
    def test_classes(self):
        self.assertEqual(size_class((35, 25, 10)), ("S", 399))
        self.assertEqual(size_class((36, 25, 10)), ("M", 549))
        self.assertEqual(size_class((60, 30, 16)), ("L", 999))

    def test_too_big(self):
        with self.assertRaisesRegex(TooBig, "^too big: 121 x 20 x 10$"):
            size_class((121, 20, 10))

    def test_price(self):
        self.assertEqual(Parcel("Ann", (30, 20, 10)).price(), 399)
        self.assertEqual(Parcel("Ann", (30, 20, 10), express=True).price(), 649)

    def test_label(self):
        self.assertEqual(Parcel("Ann", (30, 20, 10), express=True).label(), "Ann\nS (30 x 20 x 10 cm) EXPRESS")

    def test_sides(self):
        with self.assertRaises(ValueError):
            Parcel("Ann", (30, 20))
        with self.assertRaises(ValueError):
            Parcel("Ann", (30, 20, 0))


if __name__ == "__main__":
    unittest.main()
