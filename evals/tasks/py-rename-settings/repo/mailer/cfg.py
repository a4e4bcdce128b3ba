"""Settings: defaults, changed by a dictionary (usually the environment)."""

DEFAULTS = {"host": "localhost", "port": 25, "sender": "news@example.com"}


def get_cfg(env):
    """Settings from names such as MAILER_PORT in env."""
    settings = dict(DEFAULTS)
    for name, default in DEFAULTS.items():
        value = env.get(f"MAILER_{name.upper()}")
        if value is not None:
            settings[name] = type(default)(value)
    return settings
