import unittest
from datetime import date

from results import results
from words import long_date, ordinal

WANT = {
    0: "0th", 1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 9: "9th", 10: "10th", 11: "11th", 12: "12th", 13: "13th",
    14: "14th", 19: "19th", 20: "20th", 21: "21st", 22: "22nd", 23: "23rd", 31: "31st", 93: "93rd", 100: "100th",
    101: "101st", 102: "102nd", 103: "103rd", 110: "110th", 111: "111th", 112: "112th", 113: "113th", 121: "121st",
    211: "211th", 212: "212th", 222: "222nd", 1011: "1011th", 1013: "1013th", 1021: "1021st",
}


class HiddenTest(unittest.TestCase):
    def test_many(self):
        for n, text in WANT.items():
            self.assertEqual(ordinal(n), text)

    def test_dates(self):
        self.assertEqual(long_date(date(2023, 11, 13)), "13th of November 2023")
        self.assertEqual(long_date(date(2023, 1, 23)), "23rd of January 2023")

    def test_results(self):
        lines = results("R", date(2024, 1, 1), [(f"n{i}", i) for i in range(1, 14)]).split("\n")
        self.assertEqual(lines[11], "11th place: n11 (0:11)")
        self.assertEqual(lines[13], "13th place: n13 (0:13)")


if __name__ == "__main__":
    unittest.main()
