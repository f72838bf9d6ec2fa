"""A slow, readable twin of the rungs over work-flow graphs: dictionaries, one event at a time."""

import heapq


def groups_by_disk(flows):
    """Graphs of each group, in order, by disk."""
    for group in flows.listed:
        by_disk = {}
        for graph in group:
            by_disk.setdefault(graph.disk, []).append(graph)
        yield by_disk


class Clock:
    """A clock that remembers its longest idle time."""

    def __init__(self, end, fills):
        self.end, self.idle, self.fills = end, (0, 0), fills

    def serve(self, ready, ticks):
        """When the work begins: in the idle time where it fits, else after all that was told before."""
        idle_from, idle_to = self.idle
        from_ = max(ready, idle_from)
        if self.fills and ready < self.end and idle_to - from_ >= ticks:
            self.idle = (from_ + ticks, idle_to)
            return from_
        begun = max(ready, self.end)
        if begun - self.end > idle_to - idle_from:
            self.idle = (self.end, begun)
        self.end = begun + ticks
        return begun


def clocks(count, start, costs, fills):
    """Per processor its computing, sending and receiving clock: one and the same unless interfaces do the work."""
    sets = []
    for _ in range(count):
        computing = Clock(start, fills)
        others = [Clock(start, fills) if costs.links else computing for _ in range(2)]
        sets.append((computing, *others))
    return sets


def macro(flows, costs, *, queue):
    """A whole graph at once; disks in turn, or whichever is free first."""
    disks = [0] * (flows.processors * flows.disks_per_processor)
    processors = clocks(flows.processors, 0, costs, queue)

    def process(graph):
        owner = graph.disk // flows.disks_per_processor
        read = sent = disks[graph.disk] = disks[graph.disk] + round(graph.blocks * costs.read)
        work = graph.compute_picoseconds
        for receiver in graph.receivers:
            begun = processors[owner][1].serve(read, costs.communication)
            if costs.links:
                taken = processors[receiver][2].serve(begun, costs.communication)
                processors[receiver][0].serve(taken + costs.communication, work)
            else:
                processors[receiver][0].serve(begun, costs.communication + work)
            sent = max(sent, begun + costs.communication)
        if not costs.overlap:
            disks[graph.disk] = sent
        if graph.local:
            processors[owner][0].serve(read, work)

    end = 0
    for by_disk in groups_by_disk(flows):
        waiting = {disk: list(graphs) for disk, graphs in by_disk.items()}
        while any(waiting.values()):
            if queue:
                disk = min((disk for disk in waiting if waiting[disk]), key=lambda disk: (disks[disk], disk))
                process(waiting[disk].pop(0))
            else:
                for disk in sorted(waiting):
                    if waiting[disk]:
                        process(waiting[disk].pop(0))
        end = max(*disks, *(clock.end for own in processors for clock in own))
        disks[:] = [end] * len(disks)
        processors[:] = clocks(flows.processors, end, costs, queue)
    return end


def micro(flows, costs):
    """Every event in the order of time; a disk reads on as far as memory allows (here: without limit)."""
    end = 0
    order = {"ended": 0, "compute": 1, "receive": 2, "send": 3, "read": 4}
    for by_disk in groups_by_disk(flows):
        disks = dict.fromkeys(by_disk, end)
        processors = clocks(flows.processors, end, costs, False)
        waiting = {disk: list(graphs) for disk, graphs in by_disk.items()}
        sends_left = {}
        events = []

        def push(time, what, graph, number, place, events=events):
            heapq.heappush(events, (time, order[what], graph.disk, number, place, what, graph))

        def begin_read(disk, now, waiting=waiting, disks=disks, by_disk=by_disk, push=push):
            if waiting[disk]:
                graph = waiting[disk].pop(0)
                disks[disk] = max(disks[disk], now) + round(graph.blocks * costs.read)
                push(disks[disk], "read", graph, len(by_disk[disk]) - len(waiting[disk]), 0)

        def occupy(processor, which, now, ticks, processors=processors):
            return processors[processor][which].serve(now, ticks) + ticks

        for disk in sorted(waiting):
            begin_read(disk, end)
        while events:
            now, _, disk, number, place, what, graph = heapq.heappop(events)
            owner = disk // flows.disks_per_processor
            if what == "read":
                sends_left[disk, number] = len(graph.receivers)
                for receiver in graph.receivers:
                    push(now, "send", graph, number, receiver)
                if graph.local:
                    push(now, "compute", graph, number, owner)
                if costs.overlap or not graph.receivers:
                    begin_read(disk, now)
            elif what == "send":
                sent = occupy(owner, 1, now, costs.communication)
                push(sent - costs.communication, "receive", graph, number, place)
                sends_left[disk, number] -= 1
                if sends_left[disk, number] == 0 and not costs.overlap:
                    begin_read(disk, sent)
            elif what == "receive":
                push(occupy(place, 2, now, costs.communication), "compute", graph, number, place)
            elif what == "compute":
                occupy(place, 0, now, graph.compute_picoseconds)
        end = max([end, *disks.values(), *(clock.end for own in processors for clock in own)])
    return end
