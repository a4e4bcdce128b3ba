"""Report on response times in milliseconds."""

from stats import median, percentile


def report(samples):
    return f"median {median(samples):.1f} ms, 95 % within {percentile(samples, 0.95):.1f} ms"
