"""Python 2 and 3."""
import io
import sys

PY2 = sys.version_info[0] == 2
text_type = str if not PY2 else unicode  # noqa: F821
integer_types = (int,) if not PY2 else (int, long)  # noqa: F821


def iteritems(d):
    return d.iteritems() if PY2 else iter(d.items())


def open_text(path, mode="r"):
    return io.open(path, mode, encoding="utf-8")
