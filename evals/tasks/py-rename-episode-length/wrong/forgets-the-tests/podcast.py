"""Episodes of a podcast."""

import json
from dataclasses import dataclass


@dataclass
class Episode:
    title: str
    url: str
    size: int
    seconds: int


def load_episodes(text):
    """Reads the episodes file, a JSON list."""
    return [
        Episode(title=entry["title"], url=entry["url"], size=entry["size"], seconds=entry["length"])
        for entry in json.loads(text)
    ]


def clock(episode):
    """How long an episode is, as "h:mm:ss"."""
    minutes, seconds = divmod(episode.seconds, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def shorts(episodes, limit=600):
    """The episodes that are not longer than the limit, shortest first."""
    return sorted((e for e in episodes if e.seconds <= limit), key=lambda e: e.seconds)
