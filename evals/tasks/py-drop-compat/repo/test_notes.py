import os
import tempfile
import unittest

from show import show
from store import load, save


class NotesTest(unittest.TestCase):
    def test_round_trip(self):
        path = os.path.join(tempfile.mkdtemp(), "notes")
        save(path, {"a": "früh"})
        self.assertEqual(load(path), {"a": "früh"})

    def test_show(self):
        self.assertEqual(show({"b": 1200, "a": "x"}), "a=x, b=1,200")
