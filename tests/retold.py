"""A program in its own words: what a generator yielded, and what a folded text says, in one comparable form."""

from striate.layout.extents import Extents
from striate.workload.application import Application
from striate.workload.kinds import BLOCKING, DEFAULT_ALGORITHM, NO_COUNTS, NO_EXTENTS, OPERANDS, Kind
from striate.workload.operations import PENDING, Operation
from striate.workload.transforms.unfold import unfold

Words = tuple[str, str, dict[str, object]]


def told(operations: list[Operation]) -> list[Words]:
    """What the operations say; requests are numbered in the order in which they begin."""
    words: list[Words] = []
    begun: dict[int, int] = {}
    for operation in operations:
        label, comm = operation.kind.label, operation.communicator
        if operation.kind in (Kind.WAIT, Kind.TEST):
            words += [(label, comm, {"request": begun[id(awaited)]}) for awaited in operation.awaited]
            continue
        said = dict(zip(OPERANDS[operation.kind], operation.operands, strict=True))
        if said.get("request") is PENDING:
            begun[id(operation)] = said["request"] = len(begun)
        words.append((label, comm, {name: plain(value) for name, value in said.items()}))
    return words


def plain(value: object) -> object:
    if isinstance(value, Extents):
        return [value.offsets.tolist(), value.sizes.tolist()]
    if isinstance(value, tuple):
        return [plain(part) for part in value]
    return value.tolist() if hasattr(value, "tolist") else value


def retold(application: Application, rank: int) -> list[Words]:
    """What the text says for `rank`, loops unrolled, in the same words."""
    words: list[Words] = []
    begun = 0
    of_slot: dict[int, int] = {}
    for step in unfold(application, rank):
        if step.kind is Kind.OFFER:  # part of a waitany, which names no slots
            continue
        said: dict[str, object] = dict(step.operands)
        slot = said.get("request", BLOCKING)
        if slot != BLOCKING:
            if step.kind not in (Kind.WAIT, Kind.TEST):
                of_slot[slot] = begun
                begun += 1
            said["request"] = of_slot[slot]
        named = {name: in_words(application, rank, name, value) for name, value in said.items()}
        words.append((step.kind.label, application.communicators[step.communicator].name, named))
    return words


def in_words(application: Application, rank: int, name: str, value: int) -> object:
    if name == "file":
        return application.file_name(value)
    if name == "region":
        return application.regions[value]
    if name == "extents" and value != NO_EXTENTS:
        runs = application.extents[value]
        return [runs.offsets.tolist(), runs.sizes.tolist()]
    if name == "algorithm" and value != DEFAULT_ALGORITHM:
        return application.algorithms[value]
    if name == "counts" and value != NO_COUNTS:
        return application.counts[value][rank].tolist()
    return value
