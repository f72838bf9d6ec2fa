"""Programs run through a launcher, on any cluster, each forecast before it runs."""
