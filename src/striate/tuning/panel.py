"""The panel: sends questions to any executor and brings the replies back in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool

from striate.errors import TuningError
from striate.tuning.deadline import TaskDeadline
from striate.tuning.question import Question, Reply, ask
from striate.tuning.space import Candidate

BATCH = 4  # candidates per task: enough to pay for its journey
GRACE_SECONDS = 0.5  # for a worker that has stopped to say what it has

Progress = Callable[[int, str], None]  # (candidates done, what is going on)


class Panel:
    """Asks one question of many candidates until the deadline; the replies do not depend on who gives them."""

    def __init__(
        self,
        question: Question,
        executor: Executor,
        *,
        budget_seconds: float,
        spent_seconds: float,
        progress: Progress,
    ) -> None:
        """`spent_seconds` of the budget are spent already."""
        self._question = question
        self._executor = executor
        self._progress = progress
        self._began = time.monotonic() - spent_seconds
        self._budget = budget_seconds

    @property
    def spent(self) -> float:
        """Seconds of the budget."""
        return time.monotonic() - self._began

    @property
    def is_over(self) -> bool:
        return self.spent >= self._budget

    def ask(self, candidates: Sequence[Candidate], rung: str) -> list[Reply]:
        """One reply per candidate, in their order; fewer, for the first of them, when the time is over before."""
        batches = [tuple(candidates[at : at + BATCH]) for at in range(0, len(candidates), BATCH)]
        tasks: list[Future[list[Reply]]] = []
        replies: list[Reply] = []
        try:
            for batch in batches:
                if not self.is_over:  # some executors answer at once
                    deadline = TaskDeadline.within(self._budget - self.spent)
                    tasks.append(self._executor.submit(ask, self._question, batch, rung, deadline))
            for task, batch in zip(tasks, batches, strict=False):
                found = task.result(timeout=max(0.0, self._budget - self.spent) + GRACE_SECONDS)
                replies += found
                self._progress(len(found), rung)
                if len(found) < len(batch):
                    break
        except TimeoutError:
            return replies
        except BrokenProcessPool:
            raise TuningError(
                "a worker process of the search ended early: it ran out of memory, or the script calls tune "
                'outside of `if __name__ == "__main__":`'
            ) from None
        finally:
            for task in tasks:
                task.cancel()
        return replies
