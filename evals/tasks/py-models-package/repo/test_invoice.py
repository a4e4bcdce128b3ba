import unittest

from invoice import invoice
from models import Customer, Order, OrderLine


class InvoiceTest(unittest.TestCase):
    def test_invoice(self):
        order = Order(Customer("Ada"), [OrderLine("Tea", 100, 2)])
        self.assertEqual(invoice(order), "Ada\n2 x Tea\n2.38")
