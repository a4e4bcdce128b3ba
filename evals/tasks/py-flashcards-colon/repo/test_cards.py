import unittest

from deck import Card, parse_deck
from review import due, review


class DeckTest(unittest.TestCase):
    def test_lines(self):
        text = "# Italian\n\ncane: dog\n  gatto:cat\n"
        self.assertEqual(parse_deck(text), [Card("cane", "dog"), Card("gatto", "cat")])

    def test_colon_on_the_back(self):
        self.assertEqual(parse_deck("aspect ratio of old TVs: 4:3"), [Card("aspect ratio of old TVs", "4:3")])

    def test_bad_lines(self):
        with self.assertRaisesRegex(ValueError, "line 2: no colon"):
            parse_deck("a: b\nc")
        with self.assertRaisesRegex(ValueError, "line 1: a side is empty"):
            parse_deck("a:")


class ReviewTest(unittest.TestCase):
    def test_boxes(self):
        card = Card("cane", "dog")
        self.assertTrue(review(card, " Dog"))
        self.assertEqual(card.box, 2)
        self.assertFalse(review(card, "cat"))
        self.assertEqual(card.box, 1)

    def test_due(self):
        cards = [Card("a", "b", 3), Card("c", "d", 1), Card("e", "f", 2)]
        self.assertEqual([card.front for card in due(cards, 2)], ["c", "e"])


if __name__ == "__main__":
    unittest.main()
