from .cfg import get_cfg, load_settings
from .sender import Sender

__all__ = ["Sender", "get_cfg", "load_settings"]
