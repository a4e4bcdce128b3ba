import unittest
from datetime import date, timedelta

from fees import CAP, DAILY, late_fee, total_fee
from receipt import receipt

DUE = date(2024, 2, 27)


class HiddenTest(unittest.TestCase):
    def test_every_kind_and_day(self):
        for kind in DAILY:
            for n in range(-3, 60):
                want = min(CAP[kind], max(0, n) * DAILY[kind])
                self.assertEqual(late_fee(kind, DUE, DUE + timedelta(days=n)), want, (kind, n))

    def test_unknown_kind(self):
        with self.assertRaises(KeyError):
            late_fee("boat", DUE, DUE + timedelta(days=2))

    def test_total_and_receipt(self):
        loans = [("book", DUE, DUE), ("dvd", DUE, DUE + timedelta(days=3))]
        self.assertEqual(total_fee(loans), 150)
        self.assertEqual(receipt("Ann", loans).split("\n"), ["Late fees of Ann", "dvd   2024-02-27    1.50", "total               1.50"])


if __name__ == "__main__":
    unittest.main()
