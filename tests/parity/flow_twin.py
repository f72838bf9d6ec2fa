"""A slow, readable twin of the rungs over work-flow graphs: dictionaries, one event at a time."""

import heapq


def groups_by_disk(flows):
    """Graphs of each group, in order, by disk."""
    for group in flows.listed:
        by_disk = {}
        for graph in group:
            by_disk.setdefault(graph.disk, []).append(graph)
        yield by_disk


def macro(flows, costs, *, queue):
    """A whole graph at once; disks in turn, or whichever is free first."""
    disks = [0] * (flows.processors * flows.disks_per_processor)
    processors = [0] * flows.processors

    def process(graph):
        owner = graph.disk // flows.disks_per_processor
        read = disks[graph.disk] = disks[graph.disk] + round(graph.blocks * costs.read)
        for receiver in graph.receivers:
            begun = max(processors[owner], read)
            processors[owner] = begun + costs.communication
            arrived = max(processors[receiver], begun) + costs.communication
            processors[receiver] = arrived + graph.compute_picoseconds
        if graph.receivers and not costs.overlap:
            disks[graph.disk] = max(read, processors[owner])
        if graph.local:
            processors[owner] = max(processors[owner], read) + graph.compute_picoseconds

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
        end = max(*disks, *processors)
        disks[:] = [end] * len(disks)
        processors[:] = [end] * len(processors)
    return end


def micro(flows, costs):
    """Every event in the order of time; a disk reads on as far as memory allows (here: without limit)."""
    end = 0
    order = {"ended": 0, "compute": 1, "receive": 2, "send": 3, "read": 4}
    for by_disk in groups_by_disk(flows):
        disks = dict.fromkeys(by_disk, end)
        processors = [end] * flows.processors
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

        def occupy(processor, now, ticks, processors=processors):
            processors[processor] = max(processors[processor], now) + ticks
            return processors[processor]

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
                sent = occupy(owner, now, costs.communication)
                push(sent - costs.communication, "receive", graph, number, place)
                sends_left[disk, number] -= 1
                if sends_left[disk, number] == 0 and not costs.overlap:
                    begin_read(disk, sent)
            elif what == "receive":
                push(occupy(place, now, costs.communication), "compute", graph, number, place)
            elif what == "compute":
                occupy(place, now, graph.compute_picoseconds)
        end = max([end, *disks.values(), *processors])
    return end
