-- Module file for Lmod: put it where your MODULEPATH looks, as striate/<version>.lua, and set `root`.
help([[Striate: trace, predict, tune, run and show parallel I/O on clusters.]])
whatis("Name: striate")
local root = "/opt/striate"
prepend_path("PATH", pathJoin(root, "bin"))
