"""Settings: defaults, changed by a dictionary (usually the environment)."""

import warnings

DEFAULTS = {"host": "localhost", "port": 25, "sender": "news@example.com"}


def load_settings(env):
    """Settings from names such as MAILER_PORT in env."""
    settings = dict(DEFAULTS)
    for name, default in DEFAULTS.items():
        value = env.get(f"MAILER_{name.upper()}")
        if value is not None:
            settings[name] = type(default)(value)
    return settings


def get_cfg(env):
    """The old name of load_settings."""
    warnings.warn("get_cfg is now load_settings", DeprecationWarning, stacklevel=2)
    return load_settings(env)
