import unittest

from bills import Bill, Status
from export import to_csv


class BillsTest(unittest.TestCase):
    def test_status(self):
        bill = Bill("A1", 500, due=10)
        self.assertIs(bill.status, Status.OPEN)
        bill.pay(500)
        self.assertIs(bill.status, Status.PAID)
        self.assertEqual(to_csv([bill]), "number;cents;status\nA1;500;paid")
