import unittest

from rooms import Calendar, Conflict


class CalendarTest(unittest.TestCase):
    def setUp(self):
        self.calendar = Calendar()
        self.calendar.book("Oak", 540, 600, "standup")

    def test_overlap_is_refused(self):
        with self.assertRaises(Conflict):
            self.calendar.book("Oak", 570, 630)

    def test_meeting_may_start_when_the_previous_ends(self):
        self.calendar.book("Oak", 600, 660, "review")
        self.assertEqual([b.title for b in self.calendar.of_room("Oak")], ["standup", "review"])

    def test_other_room_is_free(self):
        self.calendar.book("Elm", 540, 600)
        self.assertEqual(len(self.calendar.of_room("Elm")), 1)

    def test_end_before_start(self):
        with self.assertRaises(ValueError):
            self.calendar.book("Oak", 700, 700)

    def test_free_slots(self):
        self.assertEqual(self.calendar.free_slots("Oak"), [(480, 540), (600, 1080)])


if __name__ == "__main__":
    unittest.main()
