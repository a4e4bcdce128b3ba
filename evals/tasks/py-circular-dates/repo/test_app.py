import unittest

from app import is_open


class AppTest(unittest.TestCase):
    def test_open(self):
        self.assertTrue(is_open("2.1.2024"))
        self.assertFalse(is_open("1.5.2024"))
        self.assertFalse(is_open("7.1.2024"))
