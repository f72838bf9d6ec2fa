"""Synthetic Darshan logs with known problems, their absence, and mixtures: what advice is measured against."""

from dataclasses import dataclass, field

from darshan_logs import ALL, GIB, KIB, MIB, Log, merged, mpiio, posix


@dataclass(frozen=True)
class Case:
    """A log, the rules that must fire, and those that may: consequences of the same problem."""

    name: str
    log: Log
    has: frozenset
    may: frozenset = field(default_factory=frozenset)


def case(name, log, *has, may=()):
    return Case(name, log, frozenset(has), frozenset(may))


def each_rank(log, file, counters, *, module="POSIX"):
    """A record of every rank, of a file of its own where the name has a place for it."""
    for rank in range(log.ranks):
        log.add(module, file.format(rank), rank, **counters)
    return log


def shared(log, file, counters, *, module="POSIX", **more):
    return log.add(module, file, ALL, **merged(counters, ranks=log.ranks, **more))


def good():
    """Logs with nothing wrong."""
    large = posix("write", 64, 16 * MIB, 8.0)
    yield case("large own files", each_rank(Log(ranks=16, seconds=40), "/scratch/out.{}", large))
    log = shared(Log(ranks=64, seconds=60), "/scratch/one.h5", posix("write", 32, 16 * MIB, 6.0))
    shared(log, "/scratch/one.h5", mpiio("write", 32, 16 * MIB, 7.0), module="MPI-IO")
    yield case("large collective", log.stripe("/scratch/one.h5", targets=range(32)))
    reading = posix("read", 128, 8 * MIB, 5.0)
    yield case("large reads", each_rank(Log(ranks=8, seconds=30), "/scratch/in.{}", reading))
    quiet = posix("write", 2000, 1 * KIB, 0.02)
    yield case("small but quick", each_rank(Log(ranks=4, seconds=1000), "/scratch/log.{}", quiet))
    synced = posix("write", 64, 16 * MIB, 8.0, fsyncs=1)
    yield case("one flush", each_rank(Log(ranks=16, seconds=40), "/scratch/out.{}", synced))
    once = posix("read", 256, 4 * MIB, 6.0, extent=GIB)
    yield case("read once", each_rank(Log(ranks=8, seconds=60), "/scratch/in.{}", once))
    log = each_rank(Log(ranks=32, seconds=60), "/scratch/out.{}", posix("write", 64, 16 * MIB, 8.0))
    for rank in range(32):
        log.stripe(f"/scratch/out.{rank}", targets=(rank % 16,))
    yield case("healthy targets", log)
    even = shared(
        Log(ranks=32, seconds=60), "/scratch/f", posix("write", 40, 8 * MIB, 5.0), slowest=5.4, fastest=4.8
    )
    yield case("even merged record", even.stripe("/scratch/f", targets=range(16)))
    streams = Log(ranks=4, seconds=100).add(
        "STDIO", "<STDOUT>", 0, writes=100, bytes_written=9000, write_time=0.01
    )
    yield case(
        "some text on the terminal", each_rank(streams, "/scratch/o.{}", posix("write", 32, 16 * MIB, 6.0))
    )
    log = shared(Log(ranks=64, seconds=60), "/scratch/c", posix("write", 100, 4 * MIB, 6.0))
    shared(log, "/scratch/c", mpiio("write", 100, 4 * MIB, 8.0), module="MPI-IO")
    yield case("collective at little cost", log.stripe("/scratch/c", targets=range(32)))


def alike():
    """Logs that look like a problem and have none, beside some that have it."""
    large = posix("write", 2000, MIB, 20.0)
    yield case("requests of 1 MiB", each_rank(Log(ranks=32, seconds=40), "/scratch/m.{}", large))
    headed = posix("write", 20, 64 * MIB, 13.0, size_write_100_1k=10)
    headed |= {"writes": 30, "seq_writes": 29, "consec_writes": 29}
    yield case("headers before large writes", each_rank(Log(ranks=16, seconds=40), "/scratch/h.{}", headed))
    seeking = posix("read", 500, 4 * MIB, 15.0, seeks=500, meta_time=0.001)
    yield case("seeks between large reads", each_rank(Log(ranks=4, seconds=30), "/scratch/k.{}", seeking))
    jumps = posix(
        "read", 14_000, 4 * KIB, 40.0, sequential=0.5, consecutive=0.0, stride1_stride=8192, stride1_count=3
    )
    log = each_rank(Log(ranks=8, seconds=45), "/scratch/perm.{}", jumps)
    yield case("random order, no stride", log, "random access", "small requests")
    log = Log(ranks=1024, seconds=100)
    for rank in range(0, 1024, 32):
        log.add("POSIX", f"/scratch/bp.{rank}", rank, **posix("write", 400, 64 * MIB, 30.0))
    yield case("every 32nd rank writes", log)
    yield case("aggregators that write nearly all the time", _two_phase(16, slowest=22.0), may=("stripe",))
    yield case("one aggregator of 256 ranks", _two_phase(1, slowest=24.0), "collective exchange")
    log = Log(ranks=64, seconds=300).add(
        "STDIO",
        "/scratch/mesh.txt",
        0,
        reads=30_000_000,
        bytes_read=2_400_000_000,
        read_time=180.0,
        opens=1,
        max_byte_read=2_399_999_999,
    )
    yield case("one rank parses text", log, "one rank", "standard I/O")
    log = shared(
        Log(ranks=32, seconds=60),
        "/scratch/only",
        mpiio("write", 20_000, 2 * KIB, 44.0, collective=False),
        module="MPI-IO",
    )
    yield case("MPI-IO counters alone", log, "small requests", "missing collectives")
    megabytes = posix("write", 2000, 1_000_000, 20.0)
    yield case("requests of 1 MB", each_rank(Log(ranks=32, seconds=40), "/scratch/m.{}", megabytes))
    odd = posix("write", 9, 38 * MIB, 4.0, unaligned=1.0)
    yield case("large pieces of own files", each_rank(Log(ranks=512, seconds=300), "/scratch/p.{}", odd))
    anywhere = posix("read", 200, 16 * MIB, 18.0, sequential=0.5, consecutive=0.0, extent=40 * GIB)
    yield case("large reads in any order", each_rank(Log(ranks=32, seconds=200), "/scratch/q.{}", anywhere))
    log = each_rank(Log(ranks=64, seconds=300), "/scratch/d.{}", posix("write", 64, 16 * MIB, 10.0))
    yield case(
        "some lines beside the data", log.add("POSIX", "/scratch/l", 0, **posix("write", 5000, 120, 0.4))
    )
    log = Log(ranks=64, seconds=220)
    for step in range(20):
        each_rank(log, f"/scratch/{step}.{{}}", posix("write", 1, 512 * KIB, 0.3, meta_time=5.0))
    yield case("one request per file", log, "many files", may=("metadata storm",))
    again = posix("read", 3776, MIB, 260.0, opens=118, extent=32 * MIB, meta_time=2.0)
    log = shared(Log(ranks=512, seconds=900), "/scratch/t", again, same_bytes=True)
    yield case("a small file read again", log.stripe("/scratch/t", targets=range(4)), "redundant reads")
    looked = {"opens": 40, "stats": 20_000, "meta_time": 150.0, "reads": 40, "bytes_read": 40 * MIB}
    looked |= {"max_byte_read": MIB - 1, "read_time": 0.02}
    log = shared(Log(ranks=256, seconds=300), "/scratch/site.py", looked, same_bytes=True)
    yield case("stats of a shared file", log, "metadata storm", may=("cached reads",))


def _two_phase(aggregators, *, slowest):
    """256 ranks, each 26 s in collective calls; a few of them write 125 GiB in all, the slowest in so many seconds."""
    calls, total = 8000, 8000 * 16 * MIB
    below = posix("write", calls, 16 * MIB, slowest * aggregators, extent=total)
    below |= {"slowest_rank_time": slowest, "slowest_rank_bytes": total // aggregators, "slowest_rank": 0}
    log = Log(ranks=256, seconds=60).add("POSIX", "/scratch/c", ALL, **below)
    shared(log, "/scratch/c", mpiio("write", 100, 5 * MIB, 26.0), module="MPI-IO")
    return log.stripe("/scratch/c", targets=range(16))


def requests():
    """Small, random, strided and unaligned requests."""
    for ranks, size, calls, spent in (
        (1, KIB, 400_000, 90),
        (4, 4 * KIB, 60_000, 40),
        (64, 512, 20_000, 200),
    ):
        log = Log(ranks=ranks, seconds=1.3 * spent)
        counters = posix("write", calls, size, spent)
        yield case(
            f"small writes {ranks} {size}", each_rank(log, "/scratch/s.{}", counters), "small requests"
        )
    log = each_rank(Log(ranks=8, seconds=120), "/scratch/r.{}", posix("read", 50_000, 8 * KIB, 60.0))
    yield case("small reads", log, "small requests")
    for ranks, calls in ((1, 20_000), (16, 5_000)):
        jumps = posix("read", calls, 64 * KIB, 80.0, sequential=0.4, consecutive=0.1, extent=64 * GIB)
        log = each_rank(Log(ranks=ranks, seconds=100), "/scratch/db.{}", jumps)
        yield case(f"random reads {ranks}", log, "random access", "small requests")
    skips = posix(
        "write",
        30_000,
        2 * KIB,
        50.0,
        consecutive=0.02,
        extent=GIB,
        stride1_stride=62 * KIB,
        stride1_count=29_000,
    )
    log = each_rank(Log(ranks=8, seconds=70), "/scratch/strided.{}", skips)
    yield case("strided writes", log, "strided access", "small requests")
    off = posix("write", 4000, MIB, 40.0, unaligned=0.97)
    yield case("unaligned writes", each_rank(Log(ranks=8, seconds=60), "/scratch/u.{}", off), "unaligned")
    off = posix("write", 9000, 47_008, 40.0, unaligned=0.99)
    log = each_rank(Log(ranks=16, seconds=60), "/scratch/u.{}", off)
    yield case("small unaligned writes", log, "unaligned", "small requests")


def calls():
    """Flushes, seeks, metadata, files, re-reads."""
    for ranks, writes, spent in ((1, 40_000, 460.0), (4, 10_000, 120.0), (32, 2_000, 60.0)):
        counters = posix("write", writes, KIB, spent, fsyncs=writes)
        log = each_rank(Log(ranks=ranks, seconds=1.02 * spent), "/scratch/j.{}", counters)
        yield case(f"flush per write {ranks}", log, "sync per write", "small requests")
    flushed = posix("write", 200, 4 * MIB, 50.0, fsyncs=200)
    log = each_rank(Log(ranks=4, seconds=60), "/scratch/big.{}", flushed)
    yield case("flush per large write", log, "sync per write")
    seeking = posix("read", 100_000, 4 * KIB, 20.0, seeks=100_000, meta_time=12.0)
    log = each_rank(Log(ranks=4, seconds=50), "/scratch/k.{}", seeking)
    yield case("seek per read", log, "seek per access", "small requests", may=("metadata storm",))
    opening = posix("read", 64, MIB, 2.0, opens=4000, stats=4000, meta_time=30.0)
    log = each_rank(Log(ranks=8, seconds=60), "/scratch/m.{}", opening)
    yield case("opened again and again", log, "metadata storm")
    log = Log(ranks=4, seconds=100)
    for number in range(800):
        log.add(
            "POSIX", f"/scratch/tiny/{number}", number % 4, **posix("read", 2, 20 * KIB, 0.01, meta_time=0.2)
        )
    yield case("many small files", log, "many files", may=("metadata storm", "small requests"))
    for ranks, times in ((1, 600), (64, 1)):
        counters = posix("read", 2048 * times, 256 * KIB, 90.0, sequential=0.99, extent=512 * MIB)
        log = Log(ranks=ranks, seconds=120)
        log = each_rank(log, "/scratch/mesh", counters)
        yield case(f"read again {ranks}", log, "redundant reads", may=("independent opens",))
    log = shared(Log(ranks=32, seconds=200), "/scratch/sieve", posix("write", 3000, 512 * KIB, 40.0, reads=3000,
        bytes_read=3000 * 512 * KIB, seq_reads=2990, consec_reads=10, read_time=50.0, rw_switches=5900,
        max_byte_read=3000 * 512 * KIB, size_read_100k_1m=3000))  # fmt: skip
    shared(log, "/scratch/sieve", mpiio("write", 3000, 8 * KIB, 95.0, collective=False), module="MPI-IO")
    yield case("data sieving", log, "read-modify-write", "missing collectives")


def balance():
    """One rank, unequal parts, slow hosts and targets."""
    for ranks in (16, 512):
        log = Log(ranks=ranks, seconds=200).add(
            "POSIX", "/scratch/all", 0, **posix("write", 4000, 4 * MIB, 150.0)
        )
        yield case(f"one rank of {ranks}", log, "one rank")
    gathered = merged(posix("write", 100, 4 * MIB, 2.0), ranks=64, slowest=126.0, fastest=0.0)
    gathered |= {
        "slowest_rank_bytes": 6390 * 4 * MIB,
        "variance_rank_bytes": 1e18,
        "variance_rank_time": 200.0,
    }
    yield case(
        "one rank, merged", Log(ranks=64, seconds=150).add("POSIX", "/scratch/g", ALL, **gathered), "one rank"
    )
    log = Log(ranks=16, seconds=100)
    for rank in range(16):
        parts = 600 if rank < 3 else 60
        log.add("POSIX", f"/scratch/p{rank}", rank, **posix("write", parts, 4 * MIB, 0.12 * parts))
    yield case("unequal parts", log, "imbalance")
    uneven = merged(posix("read", 200, 2 * MIB, 10.0), ranks=128, slowest=90.0, fastest=2.0, slowest_rank=17)
    log = (
        Log(ranks=128, seconds=120)
        .add("POSIX", "/scratch/x", ALL, **uneven)
        .stripe("/scratch/x", targets=range(64))
    )
    yield case("uneven merged record", log, "imbalance")
    log = Log(ranks=64, seconds=120)
    for rank in range(64):
        slow = rank % 16 == 5
        log.add("POSIX", f"/scratch/t{rank}", rank, **posix("write", 64, 4 * MIB, 100.0 if slow else 12.0))
        log.stripe(f"/scratch/t{rank}", targets=(rank % 16,))
    yield case("a slow target", log, "slow target")
    log = Log(ranks=32, seconds=100)
    for rank in range(32):
        slow = 8 <= rank < 12
        log.add("POSIX", f"/scratch/h{rank}", rank, **posix("write", 64, 4 * MIB, 80.0 if slow else 15.0))
        log.stripe(f"/scratch/h{rank}", targets=(rank % 7,))
    yield case("slow nodes", log, "slow host")


def together():
    """Shared files: stripes, collectives, opens."""
    for ranks, size in ((64, 64 * GIB), (512, 960 * GIB)):
        counters = posix("write", size // ranks // (8 * MIB), 8 * MIB, 400.0)
        log = shared(Log(ranks=ranks, seconds=500), "/scratch/wide", counters).stripe(
            "/scratch/wide", targets=(3,)
        )
        yield case(f"one stripe {ranks}", log, "stripe")
    log = shared(
        Log(ranks=64, seconds=80), "/scratch/s", posix("write", 4000, 47 * KIB, 60.0, consecutive=0.01)
    )
    shared(log, "/scratch/s", mpiio("write", 4000, 47 * KIB, 62.0, collective=False), module="MPI-IO")
    yield case("shared without collectives", log, "missing collectives", "small requests", "strided access")
    for ranks, asked, done in ((512, 700.0, 8.0), (32, 90.0, 20.0)):
        log = shared(Log(ranks=ranks, seconds=1.1 * asked), "/scratch/e", posix("write", 64, 16 * MIB, done))
        shared(log, "/scratch/e", mpiio("write", 500, 256 * KIB, asked), module="MPI-IO")
        log.stripe("/scratch/e", targets=range(64))
        yield case(f"exchange {ranks}", log, "collective exchange")
    log = shared(Log(ranks=64, seconds=120), "/scratch/n", posix("write", 40, 64 * MIB, 20.0))
    shared(log, "/scratch/n", mpiio("write", 40, 64 * MIB, 90.0), module="MPI-IO")
    log.stripe("/scratch/n", targets=range(64))
    yield case("needless collectives", log, "needless collectives", "collective exchange")
    log = shared(
        Log(ranks=1024, seconds=60),
        "/scratch/conf",
        posix("read", 1, 4 * MIB, 0.5, opens=2, meta_time=20.0),
        same_bytes=True,
    )
    yield case("all ranks open", log, "independent opens", may=("redundant reads", "metadata storm"))


def libraries():
    """HDF5, standard I/O, the page cache."""
    log = shared(Log(ranks=8, seconds=100), "/scratch/a.h5", posix("write", 20_000, 400, 60.0))
    log.add("H5F", "/scratch/a.h5", ALL, opens=8, use_mpiio=1)
    yield case("HDF5 metadata", log, "HDF5 metadata", "small requests", may=("missing collectives",))
    log = shared(Log(ranks=8, seconds=100), "/scratch/b.h5", posix("write", 400, 4 * MIB, 50.0))
    log.add("H5F", "/scratch/b.h5", ALL, opens=8, use_mpiio=0)
    data = {
        "writes": 400,
        "bytes_written": 400 * 4 * MIB,
        "write_time": 70.0,
        "datatype_size": 8,
        "chunk_size_d1": 512,
    }
    shared(log, "/scratch/b.h5:/x", data, module="H5D")
    yield case("tiny chunks", log, "HDF5 chunks")
    log = shared(Log(ranks=8, seconds=100), "/scratch/c.h5", posix("write", 4000, 512 * KIB, 50.0))
    log.add("H5F", "/scratch/c.h5", ALL, opens=8, use_mpiio=1)
    shared(log, "/scratch/c.h5", mpiio("write", 4000, 512 * KIB, 52.0, collective=False), module="MPI-IO")
    shared(
        log,
        "/scratch/c.h5:/x",
        {"writes": 4000, "bytes_written": 4000 * 512 * KIB, "write_time": 55.0},
        module="H5D",
    )
    yield case("HDF5 independent", log, "HDF5 transfers", "missing collectives")
    bulk = {"writes": 800_000, "bytes_written": 4 * GIB, "write_time": 70.0, "opens": 1}
    yield case(
        "bulk text",
        each_rank(Log(ranks=4, seconds=100), "/scratch/t.{}", bulk, module="STDIO"),
        "standard I/O",
    )
    quick = posix("read", 1024, MIB, 0.08)
    log = each_rank(Log(ranks=4, seconds=20), "/scratch/warm.{}", quick)
    yield case("page cache", log, "cached reads")


def mixtures():
    """Several problems at once, and problems that hide in a healthy run."""
    log = each_rank(Log(ranks=16, seconds=300), "/scratch/big.{}", posix("write", 200, 16 * MIB, 30.0))
    each_rank(log, "/scratch/wal.{}", posix("write", 5000, KIB, 60.0, fsyncs=5000))
    yield case("healthy and flushed", log, "sync per write", "small requests")
    log = Log(ranks=64, seconds=300).add(
        "POSIX", "/scratch/master", 0, **posix("write", 90_000, 16 * KIB, 200.0, unaligned=0.9)
    )
    yield case("one rank in small unaligned pieces", log, "one rank", "small requests", "unaligned")
    log = shared(
        Log(ranks=64, seconds=900),
        "/scratch/mesh",
        posix("read", 8192, 256 * KIB, 300.0, extent=2 * GIB),
        same_bytes=True,
    )
    log.stripe("/scratch/mesh", targets=(1,))
    shared(log, "/scratch/mesh", mpiio("read", 8192, 256 * KIB, 310.0, collective=False), module="MPI-IO")
    yield case("all read all, alone, on one stripe", log, "redundant reads", "missing collectives", "stripe")
    log = each_rank(Log(ranks=8, seconds=100), "/scratch/db.{}", posix("read", 20_000, 4 * KIB, 30.0, sequential=0.3,
        consecutive=0.1, extent=GIB, seeks=20_000, meta_time=10.0, unaligned=0.8))  # fmt: skip
    yield case("random small seeks", log, "random access", "small requests", "seek per access", "unaligned")


def corpus():
    """All cases."""
    return [
        one
        for group in (good, alike, requests, calls, balance, together, libraries, mixtures)
        for one in group()
    ]
