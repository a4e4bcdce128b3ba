import unittest

from address import Address
from customer import Customer
from letters import letters, read_customer, regions


class HiddenTest(unittest.TestCase):
    def test_address(self):
        address = Address("Weg 2", "80331", "München")
        self.assertEqual((address.street, address.zip_code, address.city), ("Weg 2", "80331", "München"))
        self.assertEqual(address.label(), "Weg 2\n80331 MÜNCHEN")

    def test_customer(self):
        customer = Customer("Ada", Address("Weg 2", "80331", "München"))
        self.assertEqual(customer.label(), "Ada\nWeg 2\n80331 MÜNCHEN")
        self.assertTrue(customer.lives_in("münchen"))
        for name in ("street", "zip_code", "city"):
            self.assertFalse(hasattr(customer, name), name)
        with self.assertRaises(TypeError):
            Customer("Ada", "Weg 2", "80331", "München")

    def test_letters(self):
        rows = ["A|x 1|20095 Hamburg", "B|y 2|10115 Berlin", "C|z|22 St. Gallen"]
        self.assertEqual(letters(rows, "Berlin"), ["B\ny 2\n10115 BERLIN"])
        self.assertEqual(regions([read_customer(row) for row in rows]), ["1", "2"])
        self.assertEqual(read_customer(rows[2]).address.city, "St. Gallen")
