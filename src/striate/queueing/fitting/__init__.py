"""Fitting a model to observed times: coordinates, search, identifiability and confidence intervals."""
