def show(value):
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return "{:,}".format(value)
    if isinstance(value, dict):
        return ", ".join("%s=%s" % (k, show(v)) for k, v in sorted(value.items()))
    return repr(value)
