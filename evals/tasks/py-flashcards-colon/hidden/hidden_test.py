import unittest

from deck import Card, parse_deck
from review import review


class HiddenTest(unittest.TestCase):
    def test_one_colon(self):
        self.assertEqual(parse_deck("night train leaves: 23:05"), [Card("night train leaves", "23:05")])

    def test_many_colons(self):
        self.assertEqual(
            parse_deck("recipe:flour: 2 : sugar: 1\nlink : https://example.org:8080/a\nipv6 localhost: ::1"),
            [
                Card("recipe", "flour: 2 : sugar: 1"),
                Card("link", "https://example.org:8080/a"),
                Card("ipv6 localhost", "::1"),
            ],
        )

    def test_colon_at_the_end(self):
        self.assertEqual(parse_deck("smiley: :"), [Card("smiley", ":")])

    def test_without_colon(self):
        self.assertEqual(parse_deck("# a:b\n\none:1\n two :  2 "), [Card("one", "1"), Card("two", "2")])
        with self.assertRaisesRegex(ValueError, "line 3: no colon"):
            parse_deck("a: b\n\nc d")
        with self.assertRaisesRegex(ValueError, "line 1: a side is empty"):
            parse_deck(": b")
        with self.assertRaisesRegex(ValueError, "line 1: a side is empty"):
            parse_deck("b :  ")

    def test_review(self):
        (card,) = parse_deck("start: 9:30 h")
        self.assertTrue(review(card, "9:30 H"))


if __name__ == "__main__":
    unittest.main()
