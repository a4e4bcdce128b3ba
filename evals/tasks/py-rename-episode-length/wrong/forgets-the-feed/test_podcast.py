import unittest

from feed import description, item
from podcast import Episode, clock, load_episodes, shorts

EPISODES = [
    Episode(title="Bees & honey", url="https://example.org/1.mp3", size=9000, seconds=3725),
    Episode(title="News", url="https://example.org/2.mp3", size=500, seconds=90),
]


class PodcastTest(unittest.TestCase):
    def test_load(self):
        text = '[{"title": "News", "url": "https://example.org/2.mp3", "size": 500, "length": 90}]'
        self.assertEqual(load_episodes(text), EPISODES[1:])

    def test_clock(self):
        self.assertEqual(clock(EPISODES[0]), "1:02:05")

    def test_shorts(self):
        self.assertEqual(shorts(EPISODES), EPISODES[1:])

    def test_feed(self):
        self.assertEqual(
            item(EPISODES[0]),
            "<item><title>Bees &amp; honey</title>"
            '<enclosure url="https://example.org/1.mp3" length="9000" type="audio/mpeg"/>'
            "<itunes:duration>1:02:05</itunes:duration></item>",
        )
        self.assertEqual(description("Garden", EPISODES), "Garden: 2 episodes, 1.1 hours")


if __name__ == "__main__":
    unittest.main()
