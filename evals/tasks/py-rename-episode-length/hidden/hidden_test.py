import dataclasses
import unittest

import test_podcast
from feed import description, item
from podcast import Episode, clock, load_episodes, shorts


class HiddenTest(unittest.TestCase):
    def setUp(self):
        self.long = Episode(title="Bread", url="https://example.org/7.mp3", size=12345, seconds=7384)
        self.short = Episode("Salt", "https://example.org/8.mp3", 77, 599)

    def test_field(self):
        self.assertEqual([field.name for field in dataclasses.fields(Episode)], ["title", "url", "size", "seconds"])
        self.assertFalse(hasattr(self.long, "length"))
        with self.assertRaises(TypeError):
            Episode(title="a", url="b", size=1, length=2)

    def test_file_keeps_its_key(self):
        text = '[{"title": "Salt", "url": "https://example.org/8.mp3", "size": 77, "length": 599}]'
        self.assertEqual(load_episodes(text), [self.short])

    def test_podcast(self):
        self.assertEqual(clock(self.long), "2:03:04")
        tiny = Episode("Tiny", "u", 1, 5)
        self.assertEqual(shorts([self.long, self.short, tiny]), [tiny, self.short])
        self.assertEqual(shorts([self.long, self.short], 598), [])

    def test_feed(self):
        self.assertEqual(
            item(self.short),
            "<item><title>Salt</title>"
            '<enclosure url="https://example.org/8.mp3" length="77" type="audio/mpeg"/>'
            "<itunes:duration>0:09:59</itunes:duration></item>",
        )
        self.assertEqual(description("Food", [self.long, self.short]), "Food: 2 episodes, 2.2 hours")
        self.assertEqual(description("Food", []), "Food: 0 episodes, 0.0 hours")

    def test_tests_use_the_new_name(self):
        self.assertEqual([episode.seconds for episode in test_podcast.EPISODES], [3725, 90])


if __name__ == "__main__":
    unittest.main()
