"""Says how the mailer is set up."""

from . import cfg


def describe(env):
    settings = cfg.load_settings(env)
    return ", ".join(f"{name}={value}" for name, value in sorted(settings.items()))
