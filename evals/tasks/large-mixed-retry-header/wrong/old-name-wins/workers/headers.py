"""Headers of requests, with names in lower case."""

TRACE = "x-trace"


def normalized(headers):
    return {name.lower(): value for name, value in headers.items()}


def attempt_of(headers):
    """Which attempt a request is; 1 when it does not say."""
    for name, value in sorted(normalized(headers).items()):
        if name.startswith("x-attempt"):
            return max(1, int(value)) if value.isdigit() else 1
    return 1


def trace_of(headers):
    return normalized(headers).get(TRACE)
