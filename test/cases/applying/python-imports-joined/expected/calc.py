import os
from typing import List, Optional
import re


def one(items: List[int]) -> Optional[int]:
    return re.match("a", "b")
