import unittest
from datetime import date

from listing import listing
from reader import read_plants
from watering import next_watering, thirsty

TEXT = "# mine\n\n ivy-3 ;  English Ivy ; 7 \nAloe-1;Aloe vera;14\nMINT-1;Mint;2\n"


class HiddenTest(unittest.TestCase):
    def test_fields(self):
        plants = read_plants(TEXT)
        self.assertEqual(list(plants), ["IVY-3", "ALOE-1", "MINT-1"])
        self.assertEqual([(p.code, p.name, p.days) for p in plants.values()],
                         [("IVY-3", "English Ivy", 7), ("ALOE-1", "Aloe vera", 14), ("MINT-1", "Mint", 2)])

    def test_twice(self):
        for text in ("A-1;x;1\nA-1;y;2", "A-1;x;1\na-1 ;y;2", "a-1;x;1\n A-1;y;2"):
            with self.assertRaises(ValueError):
                read_plants(text)

    def test_listing(self):
        self.assertEqual(listing(read_plants(TEXT)).split("\n")[0], "IVY-3    English Ivy, every 7 days")

    def test_watering(self):
        plants = read_plants(TEXT)
        day = date(2024, 6, 1)
        self.assertEqual(next_watering(plants, " ivy-3", day), date(2024, 6, 8))
        self.assertEqual(thirsty(plants, {"MINT-1": day, "IVY-3": day, "ALOE-1": day}, date(2024, 6, 8)), ["IVY-3", "MINT-1"])
        with self.assertRaises(LookupError):
            next_watering(plants, "IVY", day)


if __name__ == "__main__":
    unittest.main()
