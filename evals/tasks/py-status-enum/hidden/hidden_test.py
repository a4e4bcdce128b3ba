import unittest
from enum import Enum

import bills
from bills import Bill, Status
from export import from_csv, to_csv
from remind import to_remind


class HiddenTest(unittest.TestCase):
    def test_enum(self):
        self.assertTrue(issubclass(Status, Enum))
        self.assertEqual([(s.name, s.value) for s in Status], [("OPEN", "open"), ("PAID", "paid"), ("LATE", "late")])
        for name in ("OPEN", "PAID", "LATE"):
            self.assertFalse(hasattr(bills, name), name)

    def test_life_of_a_bill(self):
        a, b = Bill("a", 100, 5), Bill("b", 100, 9)
        a.pay(99)
        self.assertIs(a.status, Status.OPEN)
        self.assertEqual(to_remind([a, b], 7), ["a"])
        self.assertIs(a.status, Status.LATE)
        a.pay(100)
        with self.assertRaises(ValueError):
            a.pay(1)

    def test_csv_round_trip(self):
        text = "number;cents;status\na;100;late\nb;7;open"
        read = from_csv(text, 5)
        self.assertEqual([bill.status for bill in read], [Status.LATE, Status.OPEN])
        self.assertEqual(to_csv(read), text)
        self.assertEqual(to_remind(read, 1), ["a"])
        with self.assertRaisesRegex(ValueError, "lost"):
            from_csv("x\na;1;lost", 5)
