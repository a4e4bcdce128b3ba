from .cfg import get_cfg
from .sender import Sender

__all__ = ["Sender", "get_cfg", "load_settings"]

load_settings = get_cfg
