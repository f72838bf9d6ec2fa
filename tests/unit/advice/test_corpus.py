"""Advice on logs with counters only: what is wrong is found, what is well is left in peace, gains can be true."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from advice_corpus import alike, corpus, good
from darshan_logs import ALL, GIB, KIB, MIB, Log, merged, mpiio, posix
from striate.advice import advise
from striate.advice.advise import RULES
from striate.formats.read import read_trace

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "verification"))
import advice_labels

CASES = corpus()
NO_COUNTERS = {"no overlap", "compressible"}  # need a trace of all calls, or the files themselves


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    labels = {}
    for number, case in enumerate(CASES):
        case.log.save(folder / f"{number}.darshan")
        labels[f"{number}.darshan"] = {"has": sorted(case.has), "may": sorted(case.may)}
    (folder / "labels.json").write_text(json.dumps(labels))
    return folder, labels


def test_the_corpus_is_large_and_has_every_rule_both_ways():
    assert len(CASES) >= 40
    for rule in set(RULES) - NO_COUNTERS:
        assert any(rule in case.has for case in CASES), rule
        assert any(rule not in case.has | case.may for case in CASES), rule


def test_recall_and_precision_on_the_corpus(judged, capsys):
    folder, labels = judged
    rows, hits, wanted, right, fired, wrong = advice_labels.judge(
        labels, lambda name: read_trace(folder / name)
    )

    assert hits >= 0.9 * wanted, [row for row in rows if row[2]]
    assert right >= 0.8 * fired, [row for row in rows if row[3]]
    assert not wrong
    assert advice_labels.main([str(folder), str(folder / "labels.json")]) == 0
    assert "recall" in capsys.readouterr().out


def of(log, tmp_path):
    return {item.rule: item for item in advise(read_trace(log.save(tmp_path / "log.darshan"))).items}


@pytest.mark.parametrize("case", [*good(), *alike()], ids=lambda case: case.name)
def test_what_only_looks_like_a_problem_is_left_in_peace(case, tmp_path):
    assert set(of(case.log, tmp_path)) <= case.has | case.may


def test_one_stripe_saves_no_more_than_the_accesses_took(tmp_path):
    counters = merged(posix("write", 200, 8 * MIB, 400.0), ranks=512, slowest=960.0, fastest=350.0)
    log = (
        Log(ranks=512, seconds=1000)
        .add("POSIX", "/scratch/w", ALL, **counters)
        .stripe("/scratch/w", targets=(1,))
    )
    gain = of(log, tmp_path)["stripe"].gain

    assert gain.high <= 960.0
    assert gain.width > 0


def test_imbalance_saves_no_more_than_slowest_minus_mean(tmp_path):
    uneven = merged(posix("read", 200, 2 * MIB, 10.0), ranks=128, slowest=90.0, fastest=2.0)
    item = of(Log(ranks=128, seconds=120).add("POSIX", "/scratch/x", ALL, **uneven), tmp_path)["imbalance"]

    assert item.gain.high == pytest.approx(80.0)


def test_time_in_the_exchange_has_three_remedies(tmp_path):
    log = Log(ranks=512, seconds=800).add(
        "POSIX", "/scratch/e", ALL, **merged(posix("write", 64, 16 * MIB, 8.0), ranks=512)
    )
    log.add("MPI-IO", "/scratch/e", ALL, **merged(mpiio("write", 500, 256 * KIB, 700.0), ranks=512))
    item = of(log, tmp_path)["collective exchange"]

    assert all(word in item.change.words for word in ("aggregators", "no collective buffering", "transpose"))


def test_the_slow_target_is_blamed_and_not_the_nodes(tmp_path):
    log = Log(ranks=64, seconds=120)
    for rank in range(64):
        slow = rank % 16 == 5
        log.add("POSIX", f"/scratch/t{rank}", rank, **posix("write", 64, 4 * MIB, 100.0 if slow else 12.0))
        log.stripe(f"/scratch/t{rank}", targets=(rank % 16,))
    found = of(log, tmp_path)

    assert "OST 5" in found["slow target"].title
    assert "slow host" not in found


def test_a_hostile_name_stays_one_word_of_a_command(tmp_path):
    name = "/scratch/$(rm -rf ~)'; echo \x1b[2J\n/big"
    log = Log(ranks=64, seconds=500).add(
        "POSIX", name, ALL, **merged(posix("write", 512, 8 * MIB, 400.0), ranks=64)
    )
    command = of(log.stripe(name, targets=(3,)), tmp_path)["stripe"].change.commands[0]

    assert shlex.split(command)[:4] == ["lfs", "setstripe", "-c", "64"]
    assert len(shlex.split(command)) == 5
    assert command.isprintable()


def test_a_log_that_sees_only_io_cannot_judge_overlap(tmp_path):
    log = Log(ranks=4, seconds=1000).add("POSIX", "/scratch/a", 0, **posix("write", 100, MIB, 1.0, end=900.0))
    advice = advise(read_trace(log.save(tmp_path / "log.darshan")))

    assert "no overlap" in advice.unjudged
    assert "no overlap" not in {item.rule for item in advice.items}


def test_a_file_read_60000_times_over_is_found(tmp_path):
    log = Log(ranks=64, seconds=1200)
    for rank in range(64):
        log.add("POSIX", "/scratch/gauges", rank, **posix("read", 60_000, MIB, 800.0, extent=GIB))
    item = of(log, tmp_path)["redundant reads"]

    assert "times over" in item.evidence.words


def test_a_log_without_calls_is_not_judged_at_all(tmp_path):
    advice = advise(read_trace(Log(ranks=8, seconds=3).save(tmp_path / "log.darshan")))

    assert (advice.items, advice.looked_at, set(advice.unjudged)) == ((), (), set(RULES))


def test_what_daos_does_not_count_is_told_from_what_the_log_lacks(tmp_path):
    log = Log(ranks=4).add("DFS", "/pool/a", 0, writes=100, bytes_written=100 * MIB, write_time=9.0, opens=1)
    advice = advise(read_trace(log.save(tmp_path / "log.darshan")))

    assert "small requests" in advice.looked_at
    assert advice.unjudged["sync per write"] == "POSIX counters"


def test_a_merged_record_without_its_slowest_rank_is_not_called_uneven(tmp_path):
    told = {"opens": 512, "writes": 512, "write_time": 512 * 30.0, "bytes_written": 512 * 64 * MIB}

    assert "imbalance" not in of(Log(ranks=512).add("POSIX", "/scratch/a", ALL, **told), tmp_path)


def test_one_rank_is_told_with_its_own_calls_and_bytes(tmp_path):
    log = Log(ranks=8, seconds=100).add("POSIX", "/scratch/a", 3, **posix("write", 900, MIB, 60.0))
    log.add("POSIX", "/scratch/b", 5, **posix("write", 100, MIB, 1.0))
    evidence = of(log, tmp_path)["one rank"].evidence

    assert (evidence.operations, evidence.bytes) == (900, 900 * MIB)
    assert "900 MiB of 1,000 MiB" in evidence.words


def test_files_that_are_only_looked_up_have_no_size(tmp_path):
    log = Log(ranks=1, seconds=120)
    for number in range(300):
        log.add("POSIX", f"/home/{number}", 0, opens=1, stats=2, meta_time=0.3)
    found = of(log, tmp_path)

    assert "of which nothing is read or written" in found["many files"].evidence.words
    assert "container" in found["metadata storm"].change.words


def test_as_many_aggregators_as_there_are_is_no_change(tmp_path):
    log = Log(ranks=512, seconds=1200)
    log.add("MPI-IO", "/scratch/e", ALL, **merged(mpiio("write", 400, MIB, 900.0), ranks=512))
    for rank in range(0, 512, 32):  # an aggregator per 32 ranks, as many as nodes are assumed
        log.add("POSIX", "/scratch/e", rank, **posix("write", 6400, 2 * MIB, 60.0))

    assert of(log, tmp_path)["collective exchange"].change.hints["cb_nodes"] == "32"


def test_a_wide_component_that_a_file_never_reaches_does_not_count(tmp_path):
    log = Log(ranks=64, seconds=900).add(
        "POSIX", "/scratch/a", ALL, **merged(posix("write", 64, 8 * MIB, 400.0), ranks=64)
    )
    log.stripes.append(("/scratch/a", [(MIB, 0, 256 * GIB, (3,)), (MIB, 256 * GIB, -1, tuple(range(32)))]))
    trace = read_trace(log.save(tmp_path / "log.darshan"))

    assert "on 1 storage target" in of(log, tmp_path)["stripe"].evidence.words
    assert trace.header.files[0].hints["striping_factor"] == "1"


def test_the_slowest_rank_with_as_many_bytes_is_late_and_not_told_to_take_less(tmp_path):
    late = merged(posix("write", 200, 2 * MIB, 10.0), ranks=128, slowest=90.0, fastest=2.0)
    item = of(Log(ranks=128, seconds=120).add("POSIX", "/scratch/x", ALL, **late), tmp_path)["imbalance"]
    more = late | {"slowest_rank_bytes": 4000 * MIB}
    other = of(Log(ranks=128, seconds=120).add("POSIX", "/scratch/x", ALL, **more), tmp_path)["imbalance"]

    assert item.title == "Some ranks take much longer than others for as many bytes"
    assert "it moves 400 MiB, the mean is 400 MiB" in item.evidence.words
    assert "equal part" not in item.change.words
    assert "equal part" in other.change.words


def test_small_requests_with_gaps_are_not_told_to_use_a_buffer(tmp_path):
    def change(**order):
        log = Log(ranks=4, seconds=100).add(
            "POSIX", "/scratch/a", 0, **posix("read", 9000, 4 * KIB, 60.0, **order)
        )
        return of(log, tmp_path)["small requests"].change

    assert "a buffer does not merge" in change(consecutive=0.0).words
    assert "file.Read_all(data)" in change(consecutive=0.0).code
    assert "'rb', buffering" in change(consecutive=1.0).code


def test_small_requests_below_collective_calls_are_the_aggregators(tmp_path):
    log = Log(ranks=8, seconds=100).add("POSIX", "/scratch/a", 0, **posix("write", 9000, 4 * KIB, 60.0))
    log.add("MPI-IO", "/scratch/a", ALL, **merged(mpiio("write", 2000, 2 * KIB, 70.0), ranks=8))
    change = of(log, tmp_path)["small requests"].change

    assert change.hints["cb_buffer_size"] == "16777216"
    assert not change.code


def test_a_program_of_one_rank_has_nobody_to_share_a_file_with(tmp_path):
    log = Log(ranks=1, seconds=120)
    for number in range(300):
        log.add("POSIX", f"/home/{number}", 0, **posix("read", 1, 4 * KIB, 0.01, meta_time=0.3))
    found = of(log, tmp_path)

    assert "container" in found["many files"].change.words
    assert "container" in found["metadata storm"].change.words


def test_small_requests_are_told_with_their_own_size(tmp_path):
    both = posix("read", 300, 8 * MIB, 12.0)
    both |= {"reads": 400, "seq_reads": 399, "size_read_100_1k": 100, "bytes_read": 300 * 8 * MIB + 51_200}
    item = of(Log(ranks=1, seconds=20).add("POSIX", "/scratch/a", 0, **both), tmp_path)["small requests"]

    assert "100 of 400 accesses move less than 1 MiB, 500 B on average" in item.evidence.words


def test_a_program_that_reads_before_it_writes_itself_has_no_data_sieving_to_turn_off(tmp_path):
    both = posix("read", 20_000, 64 * KIB, 120.0) | posix(
        "write", 20_000, 64 * KIB, 140.0, rw_switches=39_999
    )
    item = of(Log(ranks=1, seconds=400).add("POSIX", "/scratch/a", 0, **both), tmp_path)["read-modify-write"]

    assert not item.change.hints
    assert "Keep blocks in memory" in item.change.words


def test_ranks_whose_parts_grow_with_their_number_are_uneven(tmp_path):
    log = Log(ranks=96, seconds=500)
    for rank in range(96):  # 4 s to 403 s, the mean is 203.5 s
        log.add(
            "POSIX", f"/scratch/{rank}", rank, **posix("write", 10 + 4 * rank, 32 * MIB, 4.0 + 4.2 * rank)
        )

    assert of(log, tmp_path)["imbalance"].gain.high == pytest.approx(403.0 - 203.5)


def test_unaligned_reads_are_not_told_as_writes(tmp_path):
    unaligned = posix("read", 4000, 8 * KIB, 60.0, unaligned=1.0)
    item = of(Log(ranks=1, seconds=100).add("POSIX", "/scratch/a", 0, **unaligned), tmp_path)["unaligned"]

    assert item.why.startswith("A read of part of a block")


def test_a_file_that_is_opened_for_every_write_is_to_stay_open(tmp_path):
    each = posix("write", 600, 4 * KIB, 3.0, opens=600, meta_time=60.0)
    found = of(Log(ranks=1, seconds=100).add("POSIX", "/scratch/a", 0, **each), tmp_path)
    stats = each | {"stats": 9000}
    other = of(Log(ranks=1, seconds=100).add("POSIX", "/scratch/a", 0, **stats), tmp_path)

    assert found["metadata storm"].change.code.startswith("file = open(path, 'ab')")
    assert "bcast" in other["metadata storm"].change.code


def test_one_file_that_is_read_again_is_told_as_one(tmp_path):
    again = merged(posix("read", 4000, MIB, 60.0, extent=32 * MIB), ranks=8, same_bytes=True)
    words = of(Log(ranks=8, seconds=100).add("POSIX", "/scratch/a", ALL, **again), tmp_path)[
        "redundant reads"
    ]

    assert "/scratch/a was read 1,000 times over by up to 8 ranks" in words.evidence.words


def test_new_files_are_kept_from_a_slow_target_by_a_pool(tmp_path):
    log = Log(ranks=64, seconds=120)
    for rank in range(64):
        log.add("POSIX", f"/scratch/{rank}", rank, **posix("write", 64, 16 * MIB, 17.0 if rank % 8 else 80.0))
        log.stripe(f"/scratch/{rank}", targets=(rank % 8,))
    commands = of(log, tmp_path)["slow target"].change.commands

    assert commands[0].startswith("lfs setstripe -p POOL DIRECTORY  # a pool without OST 0")


def test_data_sets_without_their_files_cannot_be_judged(tmp_path):
    counters = {"writes": 400, "bytes_written": 400 * MIB, "write_time": 70.0}
    log = Log(ranks=4).add("H5D", "/scratch/b.h5:/x", 0, **counters)
    log.add("POSIX", "/scratch/b.h5", 0, **posix("write", 400, MIB, 70.0))
    advice = advise(read_trace(log.save(tmp_path / "log.darshan")))

    assert advice.unjudged["HDF5 transfers"] == "HDF5 files (Darshan's H5F module)"
