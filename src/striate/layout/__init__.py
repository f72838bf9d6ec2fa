"""Layouts: where every byte of a file lives, and what follows from it."""

from striate.layout.basic import Basic
from striate.layout.datatypes import Datatype, FileView
from striate.layout.extents import Extents
from striate.layout.grouped_blocks import GroupedBlocks
from striate.layout.hash_stripe import HashStripe
from striate.layout.layout import Layout
from striate.layout.lfs import from_getstripe, from_setstripe, setstripe_command
from striate.layout.parse import parse
from striate.layout.pieces import Pieces
from striate.layout.progressive import LayoutComponent, Progressive
from striate.layout.simple_stripe import SimpleStripe
from striate.layout.strips import Strip, parse_strips
from striate.layout.two_d_stripe import TwoDStripe
from striate.layout.varstrip import VarStrip

__all__ = [
    "Basic",
    "Datatype",
    "Extents",
    "FileView",
    "GroupedBlocks",
    "HashStripe",
    "Layout",
    "LayoutComponent",
    "Pieces",
    "Progressive",
    "SimpleStripe",
    "Strip",
    "TwoDStripe",
    "VarStrip",
    "from_getstripe",
    "from_setstripe",
    "parse",
    "parse_strips",
    "setstripe_command",
]
