"""The feed of a podcast as RSS."""

from xml.sax.saxutils import escape, quoteattr

from podcast import clock


def item(episode):
    """One item; the enclosure's length is the size of the file in bytes."""
    return (
        f"<item><title>{escape(episode.title)}</title>"
        f'<enclosure url={quoteattr(episode.url)} length="{episode.size}" type="audio/mpeg"/>'
        f"<itunes:duration>{clock(episode)}</itunes:duration></item>"
    )


def description(title, episodes):
    """The line below the podcast's title."""
    hours = sum(episode.seconds for episode in episodes) / 3600
    return f"{title}: {len(episodes)} episodes, {hours:.1f} hours"
