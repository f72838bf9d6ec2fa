"""Pages that open offline: observed and predicted, drawn. `page.py` says how a page is made of views.

The front door has a function of the package's name; so the package, once imported, can be called as well.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    def __call__(self, *items: Any, **options: Any) -> str:
        from striate.show.show import show

        return show(*items, **options)


sys.modules[__name__].__class__ = _Callable
