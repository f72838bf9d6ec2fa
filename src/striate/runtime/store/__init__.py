"""What lies on disk: metadata, sub-files, frames and codecs, and the commit that makes them a dataset."""
