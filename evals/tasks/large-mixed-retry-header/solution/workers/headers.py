"""Headers of requests, with names in lower case."""

ATTEMPT = "x-attempt-number"
OLD_ATTEMPT = "x-attempt"
TRACE = "x-trace"


def normalized(headers):
    return {name.lower(): value for name, value in headers.items()}


def attempt_of(headers):
    """Which attempt a request is; 1 when it does not say. Old gateways use another name."""
    names = normalized(headers)
    value = names.get(ATTEMPT, names.get(OLD_ATTEMPT, "1"))
    return int(value) if value.isdigit() and int(value) > 0 else 1


def trace_of(headers):
    return normalized(headers).get(TRACE)
