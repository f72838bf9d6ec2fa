"""`striate selftest`: whether this installation works, in seconds."""

from __future__ import annotations

import click

from striate.cli.output import json_option, print_json, say


@click.command()
@json_option
def command(as_json: bool) -> int:
    """Check this installation of Striate: each part computes one small case with a known answer.

    The checks need no compiler, no network and no MPI. The exit status is 3 when a check fails.
    """
    from striate.evaluate.selftest import checks, extras
    from striate.units import about_seconds

    done = []
    for check in checks():
        done.append(check)
        if not as_json:
            told = "ok" if check.found is None else f"FAILED: {check.found}"
            say(f"{check.name:<42} {about_seconds(check.seconds):>8}  {told}")
    installed = extras()
    if as_json:
        print_json({"schema": "striate.selftest/1", "checks": done, "extras": installed})
    else:
        absent = ", ".join(name for name, here in installed.items() if not here)
        say(f"optional packages not installed: {absent or 'none'}")
    return 3 if any(check.found is not None for check in done) else 0
