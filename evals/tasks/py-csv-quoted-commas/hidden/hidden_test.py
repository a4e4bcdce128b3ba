import unittest
from decimal import Decimal

from report import report
from sales import parse_sales

HEAD = "product,quantity,price\n"


def rows(text):
    return [(s.product, s.quantity, s.price) for s in parse_sales(HEAD + text)]


class HiddenTest(unittest.TestCase):
    def test_two_commas(self):
        self.assertEqual(rows('"Screw, M4, steel",10,0.05\n'), [("Screw, M4, steel", 10, Decimal("0.05"))])

    def test_doubled_quotes(self):
        self.assertEqual(rows('"Monitor 27"" wide",1,199\n'), [('Monitor 27" wide', 1, Decimal(199))])

    def test_quoted_numbers(self):
        self.assertEqual(rows('"Pen","3","1.20"\n'), [("Pen", 3, Decimal("1.20"))])

    def test_windows_lines_and_empty_ones(self):
        self.assertEqual(rows("Lamp,2,1\r\n\r\n   \n Desk ,1,2\r\n"), [("Lamp", 2, Decimal(1)), ("Desk", 1, Decimal(2))])

    def test_order_and_kinds(self):
        got = rows("B,1,1\nA,1,0.1\nB,2,1\n")
        self.assertEqual([r[0] for r in got], ["B", "A", "B"])
        self.assertIsInstance(got[0][2], Decimal)

    def test_report(self):
        self.assertEqual(report(HEAD + "A,3,0.1\n").splitlines(), ["A                         0.30", "Total                     0.30"])

    def test_empty(self):
        self.assertEqual(rows(""), [])


if __name__ == "__main__":
    unittest.main()
