"""Draw the practice cluster of the guide, as it is built: `python tools/draw_lab.py [DIRECTORY]`."""

import sys
from pathlib import Path

from striate.lab.describe import describe
from striate.lab.plan import Plan
from striate.pages.topology.draw import draw

PLAN = Plan(
    name="practice",
    hosts=4,
    cores=1,
    link_bytes_per_second=50e6,
    link_burst_bytes=16 << 10,
    switch_buffer_bytes=1 << 20,
    mtu_bytes=9000,
    servers=4,
    disks=1,
    disk_bytes=1 << 30,
    disk_bytes_per_second=40e6,
    disk_requests_per_second=0,
    shard_bytes=4 << 20,
)

if __name__ == "__main__":
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "images"
    (directory / "lab.svg").write_text(draw(describe(PLAN)))
