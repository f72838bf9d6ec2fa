"""A store of samples in memory that fails when told to."""


class PowerError(Exception):
    """The power fails."""


class MemoryStore:
    """A file in memory that fails after so many writes, as a machine may."""

    def __init__(self, content, writes_left):
        self.content, self.writes_left = content, writes_left

    def write_at(self, offset, content):
        if self.writes_left == 0:
            raise PowerError
        self.writes_left -= 1
        self.content.seek(offset)
        self.content.write(content)

    def sync_all(self):
        pass

    def close_all(self):
        pass
