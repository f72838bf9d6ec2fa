"""A whole sampling: generations, samples, checkpoints, and going on after an interruption."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from striate.apps.pmc3.checkpoint import CheckpointError, load, save
from striate.apps.pmc3.diagnostics import McmcFile
from striate.apps.pmc3.lines import sampled_generations
from striate.apps.pmc3.sampler import Sampler
from striate.apps.pmc3.writers import Writer


def sample_all(
    sampler: Sampler,
    writer: Writer,
    checkpoint_path: Path,
    *,
    every: int,
    restart: bool = False,
    diagnostics: McmcFile | None = None,
) -> int:
    """Run all generations and write their samples; how many there are. Called on every rank.

    A checkpoint comes after every `every` generations and at the end: first all samples are on disk, then the
    checkpoint, then the mark. A kill between any two of these loses nothing that the checkpoint promises. `diagnostics`
    is on rank 0 at most.
    """
    settings = sampler.settings
    wanted = {
        generation: number
        for number, generation in enumerate(
            sampled_generations(settings.generations, settings.sample_frequency)
        )
    }
    first, samples = (0, 0) if not restart else _take_up(sampler, checkpoint_path)
    writer.start_all(samples)
    if diagnostics is not None:
        diagnostics.start(first - 1 if restart else None)
    for generation in range(first, settings.generations + 1):
        if generation > 0:
            sampler.advance()
        if generation in wanted:
            writer.put_all(wanted[generation], sampler.cold_lines(generation))
            sampler.tally_samples()
            samples = wanted[generation] + 1
        if generation % every == 0 or generation == settings.generations:
            writer.flush_all()
            checkpoint = sampler.checkpoint(generation, samples)
            if diagnostics is not None:
                diagnostics.add(
                    generation, checkpoint.tallies, sampler.coupling.tried, sampler.coupling.accepted
                )
            if sampler.comm.rank == 0:
                save(checkpoint_path, checkpoint)
            writer.mark_all(-(-generation // every), samples)
    writer.close_all()
    return samples


def _take_up(sampler: Sampler, path: Path) -> tuple[int, int]:
    """Restore the checkpoint; the next generation, and the samples there are."""
    if not path.exists():
        raise CheckpointError("expected a checkpoint to restart from, found none", source=str(path))
    found = load(path, asdict(sampler.settings), sampler.fingerprint)
    sampler.restore(found)
    return found.generation + 1, found.samples
