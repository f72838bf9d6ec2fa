"""Plug-ins: a user's own algorithms in place of the built-in ones, in Python, each checked whenever it is used.

>>> import striate
>>> striate.predict(workload, "westmere", plugins=["node_tree.py"])  # doctest: +SKIP
"""

from striate.plugins.loading import GROUP, Plugins, load
from striate.plugins.protocols import (
    ANY_RANK,
    CollectiveAccess,
    CollectiveAlgorithm,
    CollectiveIO,
    CollectiveRequest,
    Compute,
    DiskAccess,
    DiskModel,
    FileLayout,
    FileRequest,
    Network,
    Page,
    PageReplacement,
    Piece,
    ReactiveCollective,
    Receive,
    Received,
    RequestScheduler,
    Routing,
    Send,
    Server,
    ServerRequest,
    Steps,
    Strip,
)

__all__ = [
    "ANY_RANK",
    "GROUP",
    "CollectiveAccess",
    "CollectiveAlgorithm",
    "CollectiveIO",
    "CollectiveRequest",
    "Compute",
    "DiskAccess",
    "DiskModel",
    "FileLayout",
    "FileRequest",
    "Network",
    "Page",
    "PageReplacement",
    "Piece",
    "Plugins",
    "ReactiveCollective",
    "Receive",
    "Received",
    "RequestScheduler",
    "Routing",
    "Send",
    "Server",
    "ServerRequest",
    "Steps",
    "Strip",
    "load",
]
