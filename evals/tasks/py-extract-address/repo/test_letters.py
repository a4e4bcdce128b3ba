import unittest

from address import Address
from customer import Customer
from letters import letters


class LettersTest(unittest.TestCase):
    def test_label(self):
        customer = Customer("Ada", Address("Am Markt 1", "01067", "Dresden"))
        self.assertEqual(customer.label(), "Ada\nAm Markt 1\n01067 DRESDEN")

    def test_letters(self):
        self.assertEqual(letters(["Bo|Weg 2|20095 Hamburg"], "hamburg"), ["Bo\nWeg 2\n20095 HAMBURG"])
