import unittest

from rooms import Booking, Calendar, Conflict, overlaps


class HiddenTest(unittest.TestCase):
    def test_touching_either_side(self):
        c = Calendar()
        c.book("Oak", 540, 600)
        c.book("Oak", 600, 660)
        c.book("Oak", 480, 540)
        self.assertEqual([b.start for b in c.of_room("Oak")], [480, 540, 600])

    def test_real_overlaps_stay_refused(self):
        for start, end in [(541, 599), (500, 541), (599, 700), (500, 700), (540, 600), (540, 541)]:
            c = Calendar()
            c.book("Oak", 540, 600)
            with self.assertRaises(Conflict, msg=(start, end)):
                c.book("Oak", start, end)

    def test_overlaps_is_symmetric(self):
        a, b = Booking("Oak", 0, 10), Booking("Oak", 9, 20)
        self.assertTrue(overlaps(a, b) and overlaps(b, a))
        self.assertFalse(overlaps(Booking("Oak", 0, 10), Booking("Elm", 0, 10)))

    def test_bad_times(self):
        with self.assertRaises(ValueError):
            Calendar().book("Oak", 700, 700)


if __name__ == "__main__":
    unittest.main()
