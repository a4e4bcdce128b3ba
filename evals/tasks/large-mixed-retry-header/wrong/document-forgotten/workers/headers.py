"""Headers of requests, with names in lower case."""

ATTEMPT = "x-attempt-number"
TRACE = "x-trace"


def normalized(headers):
    return {name.lower(): value for name, value in headers.items()}


def attempt_of(headers):
    """Which attempt a request is; 1 when it does not say."""
    names = normalized(headers)
    value = names.get(ATTEMPT) or names.get("x-attempt") or "1"
    return int(value) if value.isdigit() and int(value) > 0 else 1


def trace_of(headers):
    return normalized(headers).get(TRACE)
