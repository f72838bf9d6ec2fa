"""Layouts: where every byte of a file lives, and what follows from it."""

from striate.layout.datatypes import Datatype, FileView
from striate.layout.distributions.basic import Basic
from striate.layout.distributions.grouped_blocks import GroupedBlocks
from striate.layout.distributions.hash_stripe import HashStripe
from striate.layout.distributions.progressive import LayoutComponent, Progressive
from striate.layout.distributions.simple_stripe import SimpleStripe
from striate.layout.distributions.strips import Strip, parse_strips
from striate.layout.distributions.two_d_stripe import TwoDStripe
from striate.layout.distributions.varstrip import VarStrip
from striate.layout.extents import Extents
from striate.layout.layout import Layout
from striate.layout.lfs import from_getstripe, from_setstripe, setstripe_command
from striate.layout.parse import parse
from striate.layout.pieces import Pieces

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
