"""A layout of one's own: large strips, each server once in a round.

Try it: striate predict checkpoint westmere --plugin THIS_FILE
"""

from __future__ import annotations

from striate.plugins import FileRequest, Strip


class MyLayout:
    kind = "layout"
    name = "my-layout"

    def strips(self, file: FileRequest) -> list[Strip] | None:
        return [Strip(server, 4 << 20) for server in range(len(file.machine.servers))]


plugins = [MyLayout]
