import unittest

from tool import main


class ToolTest(unittest.TestCase):
    def test_csv(self):
        self.assertEqual(main(["export-csv", ","], ['say "a"\n', "b"]), '"say ""a""","b"')

    def test_show(self):
        self.assertEqual(main([], ["a", "b"]), "- a\n- b")
