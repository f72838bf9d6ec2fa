striate._core.RefusalError:
    class RefusalError(Exception):
        """What the core throws when it refuses its input; everything else that it throws is a bug."""

        refusal: Refusal

