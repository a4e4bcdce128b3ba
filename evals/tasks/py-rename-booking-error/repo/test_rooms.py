import unittest

from desk import book

HALL = {"name": "Hall", "seats": 3}


class RoomsTest(unittest.TestCase):
    def test_book(self):
        self.assertEqual(book(HALL, 3), "ok")
        self.assertEqual(book(HALL, 4), "Error: Hall has 3 seats")
