"""Algorithms of collective calls, one file per kind of call; `registry` names them."""
