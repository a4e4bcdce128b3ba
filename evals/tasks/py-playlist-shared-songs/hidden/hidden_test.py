import unittest

from library import Library
from playlist import Playlist


class HiddenTest(unittest.TestCase):
    def test_without_a_library(self):
        a, b = Playlist("a"), Playlist("b")
        a.add("x", 1).add("y", 2)
        self.assertEqual(a.titles(), ["x", "y"])
        self.assertEqual(b.titles(), [])
        self.assertEqual(Playlist("c").titles(), [])
        b.add("z", 3)
        self.assertEqual((a.length(), b.length()), (3, 3))

    def test_given_songs_and_more(self):
        playlist = Playlist("p", [("x", 1), ("y", 2)])
        playlist.add("z", 3)
        self.assertEqual(playlist.titles(), ["x", "y", "z"])
        self.assertEqual(Playlist("q", songs=[("k", 9)]).length(), 9)
        playlist.remove("y")
        self.assertEqual(playlist.titles(), ["x", "z"])

    def test_library(self):
        library = Library()
        self.assertIsNone(library.longest())
        library.create("a").add("x", 10)
        library.create("b").add("y", 20)
        self.assertEqual(library.longest(), "b")
        self.assertEqual(library.playlists["a"].length(), 10)


if __name__ == "__main__":
    unittest.main()
