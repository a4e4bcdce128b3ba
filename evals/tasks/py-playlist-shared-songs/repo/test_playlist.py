import unittest

from library import Library
from playlist import Playlist


class PlaylistTest(unittest.TestCase):
    def test_given_songs(self):
        playlist = Playlist("Party", [("Jump", 200)])
        self.assertEqual(playlist.titles(), ["Jump"])
        self.assertEqual(playlist.length(), 200)

    def test_two_playlists(self):
        library = Library()
        morning = library.create("Morning")
        evening = library.create("Evening")
        morning.add("Sunrise", 184)
        self.assertEqual(morning.titles(), ["Sunrise"])
        self.assertEqual(evening.titles(), [])

    def test_name_taken(self):
        library = Library()
        library.create("Morning")
        with self.assertRaises(ValueError):
            library.create("Morning")


if __name__ == "__main__":
    unittest.main()
