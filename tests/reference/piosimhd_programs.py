"""What one rank does in each collective of PIOsimHD: generators of steps.

Found from the published timing rules and results alone. A step without actions stands for a state the original passes
through: it costs two nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log

from reference.piosimhd_ties import popped, tangled
from striate.collectives import RECV, SEND

HEADER = 20  # bytes before the data of a collective's message, and the whole of a ready message
BLOCK = 1 << 20
READY, DATA, MORE = 0, 1, 2  # tags; MORE + i in numbered rounds

Step = tuple[int, list[tuple[int, int, int, int]]]  # instructions, (action, peer, bytes, tag)
Program = Iterator[Step]


@dataclass(frozen=True)
class Call:
    """One collective call as a rank sees it; the root is rank 0."""

    size: int
    bytes: int
    eager_bytes: int
    nodes: tuple[int, ...]

    @property
    def part(self) -> int:
        return -(-self.bytes // self.size)

    @property
    def blocks(self) -> list[int]:
        full, rest = divmod(self.bytes, BLOCK)
        return [BLOCK] * full + ([rest] if rest or not full else [])


def send(peer: int, size_bytes: int, tag: int = DATA) -> tuple[int, int, int, int]:
    return SEND, peer, size_bytes + HEADER, tag


def recv(peer: int, tag: int = DATA) -> tuple[int, int, int, int]:
    return RECV, peer, -1, tag  # the length is the sender's


def bare(peer: int, size_bytes: int, tag: int = DATA) -> tuple[int, int, int, int]:
    """A send without a header."""
    return SEND, peer, size_bytes, tag


def step(*actions: tuple[int, int, int, int], instructions: int = 0) -> Step:
    return instructions, list(actions)


def children(rank: int, size: int) -> list[int]:
    """In the binomial tree over `size` ranks, the nearest first."""
    reach = rank & -rank if rank else size
    return [
        rank + hop for level in range(size.bit_length()) if (hop := 1 << level) < reach and rank + hop < size
    ]


def parent(rank: int) -> int:
    return rank & (rank - 1)


def subtree(rank: int, size: int) -> int:
    return min(rank & -rank, size - rank) if rank else size


# Broadcast


def bcast_simple(rank: int, call: Call, blocks: list[int] | None = None) -> Program:
    """Binomial, all children at once, the farthest issued first."""
    below = children(rank, call.size)
    if rank:
        below = popped(below[::-1])
    for number, size_bytes in enumerate(blocks or [call.bytes]):
        if rank:
            yield step(recv(parent(rank), MORE + number))
        if below or not rank:
            yield step(*(send(child, size_bytes, MORE + number) for child in below))
    if not below and rank:
        yield step()


def bcast_blockwise(rank: int, call: Call) -> Program:
    yield from bcast_simple(rank, call, call.blocks)


def bcast_binary_tree(rank: int, call: Call) -> Program:
    """The same in one state more; beyond the eager limit a parent waits until all its children are ready."""
    yield step()
    if call.bytes <= call.eager_bytes:
        yield from bcast_simple(rank, call)
        return
    below = children(rank, call.size)
    ready = [recv(child, READY) for child in below]
    if rank:
        yield step(send(parent(rank), 0, READY), recv(parent(rank)), *ready)
    elif ready:
        yield step(*ready)
    yield step(*(send(child, call.bytes) for child in popped(below[::-1])))


def bcast_in_turn(rank: int, call: Call) -> Program:
    """Binomial, one child after the other, the farthest first."""
    if rank:
        yield step(recv(parent(rank)))
    for child in reversed(children(rank, call.size)):
        yield step(send(child, call.bytes))


def bcast_direct(rank: int, call: Call) -> Program:
    """From the root to all at once, the last rank first, without a header."""
    if rank:
        yield step(recv(0))
    else:
        yield step(*(bare(peer, call.bytes) for peer in range(call.size - 1, 0, -1)))


def bcast_piped(rank: int, call: Call, chain: list[int] | None = None) -> Program:
    """Along a chain in blocks of 1 MiB; each rank tells the one before that it is ready."""
    chain = chain or list(range(call.size))
    at = chain.index(rank)
    before = chain[at - 1] if at else None
    after = chain[at + 1] if at + 1 < call.size else None
    if before is not None:
        yield step(send(before, 0, READY), recv(before, MORE))
    for number, size_bytes in enumerate(call.blocks):
        actions = []
        if after is not None:
            actions.append(send(after, size_bytes, MORE + number))
            if number == 0:
                actions.append(recv(after, READY))
        if before is not None and number + 1 < len(call.blocks):
            actions.append(recv(before, MORE + number + 1))
        if actions:
            yield step(*actions)


def bcast_piped_smp(rank: int, call: Call) -> Program:
    """The chain visits node after node."""
    first = {node: position for position, node in reversed(list(enumerate(call.nodes)))}
    chain = sorted(range(call.size), key=lambda member: (first[call.nodes[member]], member))
    yield from bcast_piped(rank, call, chain)


def bcast_scatter_gatherall(rank: int, call: Call) -> Program:
    """A scatter of equal parts, rounded up, then the ring."""
    yield step()
    yield from scatter_tree(rank, call, call.part)
    yield step()
    yield from allgather_ring(rank, call, call.part)


def bcast_scatter_barrier_gatherall(rank: int, call: Call) -> Program:
    yield step()
    yield from scatter_tree(rank, call, call.part)
    yield step()
    yield from barrier_rounds(rank, call, MORE + 2 * call.size)
    yield step()
    yield from allgather_ring(rank, call, call.part)


# Scatter, gather, allgather


def scatter_tree(rank: int, call: Call, part: int | None = None) -> Program:
    """Binomial, the farthest child first; a child says that it is ready, and the parent waits for it."""
    part = call.bytes if part is None else part
    below = children(rank, call.size)
    if rank:
        yield step(send(parent(rank), 0, READY), recv(parent(rank)))
    for child in reversed(below):
        yield step(recv(child, READY))
        yield step(send(child, part * subtree(child, call.size)))
    if rank and rank % 2 == 0 and not below:
        yield step()  # looks for children the group is too small for


def scatter_direct(rank: int, call: Call) -> Program:
    if rank:
        yield step(recv(0))
    else:
        yield step(*(send(peer, call.bytes) for peer in range(call.size - 1, 0, -1)))


def gather_tree(rank: int, call: Call, part: int | None = None) -> Program:
    """Binomial, one child after the other, the nearest first; no header, nobody asks whether the parent is ready."""
    part = call.bytes if part is None else part
    for child in children(rank, call.size):
        yield step(recv(child, MORE))
    if rank:
        yield step(bare(parent(rank), part * subtree(rank, call.size), MORE))
    else:
        yield step()


def gather_tree_concurrent(rank: int, call: Call) -> Program:
    """As above, but from all children at once."""
    below = children(rank, call.size)
    if below:
        yield step(*(recv(child, MORE) for child in below))
    yield step(bare(parent(rank), call.bytes * subtree(rank, call.size), MORE)) if rank else step()


def gather_direct(rank: int, call: Call) -> Program:
    if rank:
        yield step(send(0, call.bytes))
    else:
        yield step(*(recv(peer) for peer in range(1, call.size)))


def allgather_ring(rank: int, call: Call, part: int | None = None) -> Program:
    part = call.bytes if part is None else part
    for turn in range(call.size - 1):
        yield step(send((rank + 1) % call.size, part, MORE + turn), recv((rank - 1) % call.size, MORE + turn))
    yield step()


def allgather_direct(rank: int, call: Call) -> Program:
    """Everyone to everyone at once, in the tangled order in which one heap gives the events of all ranks."""
    others = [peer for peer in range(call.size) if peer != rank]
    yield step(
        *(send(peer, call.bytes) for peer in tangled(call.size)[rank]), *(recv(peer) for peer in others)
    )


# Barrier


def barrier_rounds(rank: int, call: Call, tag: int = MORE) -> Program:
    """A dissemination barrier with ceil(ln(size - 1)) + 1 rounds: from 18 ranks on it does not synchronise."""
    for turn in range(ceil(log(call.size - 1)) + 1 if call.size > 1 else 0):
        hop = (1 << turn) % call.size
        if hop:
            yield step(
                send((rank + hop) % call.size, 0, tag + turn), recv((rank - hop) % call.size, tag + turn)
            )
        else:
            yield step()
    yield step()


# Reductions


def reduce_simple(rank: int, call: Call) -> Program:
    """Binomial, the nearest child first; the root leaves without combining what came last."""
    instructions = 0
    for child in children(rank, call.size):
        yield step(recv(child), instructions=instructions)
        instructions = call.bytes + 3
    if rank:
        yield step(send(parent(rank), call.bytes), instructions=instructions)


def reduce_binary_tree(rank: int, call: Call) -> Program:
    yield step()
    yield from reduce_simple(rank, call)


def reduce_scatter_power_of_two(rank: int, call: Call, tag: int) -> Program:
    """Halves the vector as often as two divides the size of the group: an odd group combines nothing at all.

    Partners lie an odd number, twice, four times ... that number of ranks apart. All combining is charged in one
    piece before the second exchange, so that it is free where there is one exchange only.
    """
    rounds = (call.size & -call.size).bit_length() - 1
    part = call.bytes
    for turn in range(rounds):
        part = -(-part // 2)
        hop = (call.size >> rounds) << turn
        peer = rank // (2 * hop) * (2 * hop) + (rank + hop) % (2 * hop)
        combined = call.part * (call.size - 1) if turn == 1 else 0
        yield step(send(peer, part, tag + turn), recv(peer, tag + turn), instructions=combined)
    yield step()


def reduce_scatter_gather(rank: int, call: Call) -> Program:
    yield step()
    yield from reduce_scatter_power_of_two(rank, call, MORE + 1)
    yield step()
    yield from gather_tree(rank, call, call.part)


def allreduce_binary_tree(rank: int, call: Call) -> Program:
    yield step()
    yield from (_shifted(reduce_binary_tree(rank, call)))
    yield step()
    yield from bcast_binary_tree(rank, call)


def allreduce_reduce_broadcast(rank: int, call: Call) -> Program:
    """With the MPICH2 set of implementations."""
    yield step()
    yield from _shifted(reduce_scatter_gather(rank, call))
    yield step()
    yield from bcast_scatter_gatherall(rank, call)


def _shifted(program: Program, by: int = 1 << 16) -> Program:
    """The same program with other tags, to stand beside a second one."""
    for instructions, actions in program:
        yield instructions, [(kind, peer, size, tag + by) for kind, peer, size, tag in actions]
