import unittest
from decimal import Decimal

from report import report, totals
from sales import parse_sales

PLAIN = "product,quantity,price\nLamp,2,19.90\nDesk,1,120\n\nLamp,1,19.90\n"
QUOTED = 'product,quantity,price\n"Cable, 2 m",3,4.50\nLamp,1,19.90\n'


class ReportTest(unittest.TestCase):
    def test_totals(self):
        self.assertEqual(totals(parse_sales(PLAIN)), {"Lamp": Decimal("59.70"), "Desk": Decimal("120")})

    def test_report(self):
        self.assertEqual(report(PLAIN).splitlines()[-1], "Total                   179.70")

    def test_comma_in_name(self):
        self.assertEqual(totals(parse_sales(QUOTED)), {"Cable, 2 m": Decimal("13.50"), "Lamp": Decimal("19.90")})


if __name__ == "__main__":
    unittest.main()
