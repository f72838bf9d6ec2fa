"""Pages that open offline: observed and predicted, drawn. `page.py` says how a page is made of views."""
