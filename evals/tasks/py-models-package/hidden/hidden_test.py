import importlib
import os
import unittest

import models
from invoice import invoice


class HiddenTest(unittest.TestCase):
    def test_places(self):
        self.assertFalse(os.path.exists("models.py"))
        customer = importlib.import_module("models.customer")
        order = importlib.import_module("models.order")
        self.assertEqual(models.Customer.__module__, "models.customer")
        self.assertIs(models.Order, order.Order)
        self.assertIs(models.OrderLine, order.OrderLine)
        self.assertEqual(order.VAT, 19)
        self.assertFalse(hasattr(customer, "VAT"))
        self.assertFalse(hasattr(customer, "Order"))

    def test_works(self):
        order = models.Order(models.Customer("Bo", 50), [models.OrderLine("Tea", 100, 2), models.OrderLine("Cup", 350)])
        self.assertEqual(order.gross(), 327)
        self.assertIn("1 x Cup", invoice(order))
