"""Sends the weekly mails."""

from .cfg import get_cfg
from .sender import Sender

__all__ = ["Sender", "get_cfg"]
