import os
import tempfile
import unittest

from clean import clean


class CleanTest(unittest.TestCase):
    def test_clean(self):
        folder = tempfile.mkdtemp()
        for name in ("a.tmp", "b.txt"):
            open(os.path.join(folder, name), "w").close()
        self.assertEqual(len(clean(folder, ".tmp")), 1)
        self.assertEqual(os.listdir(folder), ["b.txt"])
