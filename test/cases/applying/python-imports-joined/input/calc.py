import os
from typing import List


def one(items: List[int]):
    return 1
