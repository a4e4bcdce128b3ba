import unittest

from morse import decode, encode


class MorseTest(unittest.TestCase):
    def test_encode(self):
        self.assertEqual(encode("sos now"), "... --- ... / -. --- .--")

    def test_decode(self):
        self.assertEqual(decode("... --- ..."), "SOS")
        self.assertEqual(decode("... --- ... / -. --- .--"), "SOS NOW")

    def test_spaces(self):
        self.assertEqual(decode(" .-   -... "), "AB")

    def test_unknown_code(self):
        with self.assertRaisesRegex(ValueError, r"\.\.\.\.\.\.\."):
            decode(".- .......")


if __name__ == "__main__":
    unittest.main()
