import compat


def show(value):
    if isinstance(value, compat.text_type):
        return value
    if isinstance(value, compat.integer_types) and not isinstance(value, bool):
        return "{:,}".format(value)
    if isinstance(value, dict):
        return ", ".join("%s=%s" % (k, show(v)) for k, v in sorted(compat.iteritems(value)))
    return repr(value)
