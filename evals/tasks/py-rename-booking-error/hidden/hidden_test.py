import re
import unittest

import rooms
from batch import failures
from desk import book

HALL = {"name": "Hall", "seats": 3}


class HiddenTest(unittest.TestCase):
    def test_class(self):
        self.assertEqual(rooms.BookingError.__name__, "BookingError")
        self.assertTrue(issubclass(rooms.BookingError, ValueError))
        self.assertIs(rooms.Error, rooms.BookingError)
        with self.assertRaises(rooms.BookingError):
            rooms.check(HALL, 9)

    def test_users(self):
        self.assertEqual(book(HALL, 4), "Error: Hall has 3 seats")
        self.assertEqual(failures([(HALL, 1), (HALL, 4), ({}, 1)]), 2)

    def test_alias_is_only_offered(self):
        for name in ("desk.py", "batch.py"):
            with open(name) as file:
                source = file.read().replace('"Error: ', "").replace("KeyError", "")
            self.assertIsNone(re.search(r"(?<!Booking)Error\b", source), name)
        with open("rooms.py") as file:
            source = file.read()
        self.assertEqual(len(re.findall(r"\bError\b", source)), 1)
        self.assertRegex(source, r"(?i)deprecated")
