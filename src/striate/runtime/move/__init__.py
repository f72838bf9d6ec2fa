"""Records between ranks and windows, and chunks between windows and sub-files, collectively."""
