"""Machines by what their commands print: numbers as they stand there, ranges for the rest, mistakes in one line."""

import pytest

from striate.cli.clusters import find_cluster, find_system
from striate.cli.main import run
from striate.errors import ClusterError
from striate.training.kinds import DRIVES, TARGET
from striate.training.system import rates_of

LFS_DF = """UUID                   1K-blocks        Used   Available Use% Mounted on
scratch-MDT0000_UUID     8194624      119872     7561600   2% /mnt/scratch[MDT:0]
scratch-OST0000_UUID   104857600     1234567    99000000   2% /mnt/scratch[OST:0]
scratch-OST0001_UUID   104857600     1234567    99000000   2% /mnt/scratch[OST:1]
scratch-OST0002_UUID   104857600     1234567    99000000   2% /mnt/scratch[OST:2]
scratch-OST000a_UUID   104857600     1234567    99000000   2% /mnt/scratch[OST:10]
OST000b             : inactive device

filesystem_summary:    419430400     4938268   396000000   2% /mnt/scratch
"""
BEEGFS = """TargetID   Reachability   Consistency   NodeID
========   ============   ===========   ======
     101         Online          Good        1
     102         Online          Good        1
     201         Online          Good        2
"""
LONG_NODES = BEEGFS.replace("        1\n", "  store1 [ID: 1]\n").replace("        2\n", "  store2 [ID: 2]\n")
GLUSTER = """
Volume Name: gv0
Type: Distributed-Replicate
Volume ID: 4a7d0f5a-0000-0000-0000-000000000000
Status: Started
Number of Bricks: 2 x 2 = 4
Transport-type: tcp
Bricks:
Brick1: alpha:/bricks/1
Brick2: beta:/bricks/1
Brick3: alpha:/bricks/2
Brick4: beta:/bricks/2
Options Reconfigured:
performance.client-io-threads: off
"""
NODE = """NodeName={} Arch=x86_64 CoresPerSocket=32
   CPUAlloc=0 CPUTot=128 CPULoad=0.01
   RealMemory={} AllocMem=0 FreeMem=250000 Sockets=2 Boards=1
   State=IDLE ThreadsPerCore=2 TmpDisk=0 Weight=1

"""
SLURM = NODE.format("n1", 257000) + NODE.format("n2", 257000) + NODE.format("fat", 1030000)
LSTOPO = """Machine (251GB total)
  Package L#0
    NUMANode L#0 (P#0 251GB)
    L3 L#0 (32MB)
      L2 L#0 (512KB) + L1d L#0 (32KB) + L1i L#0 (32KB) + Core L#0 + PU L#0 (P#0)
      L2 L#1 (512KB) + L1d L#1 (32KB) + L1i L#1 (32KB) + Core L#1 + PU L#1 (P#1)
"""
XML = (
    '<?xml version="1.0"?><topology version="2.0"><object type="Machine">'
    '<object type="NUMANode" local_memory="1073741824"/>'
    '<object type="Core" os_index="0"/><object type="Core" os_index="1"/><object type="Core" os_index="2"/>'
    "</object></topology>"
)


def sheet(tmp_path, kind, text):
    path = tmp_path / f"{kind}.txt"
    path.write_text(text)
    return f"{kind}:{path}"


def test_lfs_df_says_targets_and_leaves_servers_as_a_range(tmp_path):
    system, hashes = find_system(sheet(tmp_path, "lustre", LFS_DF))
    rates = rates_of(system, "other")

    assert (system.name, system.drives, system.servers) == ("Lustre scratch", 4, None)
    assert system.raw_capacity == 4 * 104857600 * 1024
    assert rates.drive_rate == DRIVES[TARGET]
    assert (rates.servers.low, rates.servers.middle, rates.servers.high) == (1, 2, 4)
    assert "number of storage servers" in system.missing()
    assert list(hashes) == ["lustre.txt"]


def test_lfs_df_with_units_is_the_same(tmp_path):
    text = LFS_DF.replace("104857600", "100.0G").replace("1K-blocks", "bytes")

    assert find_system(sheet(tmp_path, "lustre", text))[0].raw_capacity == 4 * 100 * 2**30


@pytest.mark.parametrize(
    ("kind", "text", "drives", "servers"),
    [
        ("beegfs", BEEGFS, 3, 2),
        (
            "beegfs",
            LONG_NODES,
            3,
            2,
        ),
        ("beegfs", "TargetID   NodeID\n1  a\n2  b\n", 2, 2),
        ("gluster", GLUSTER, 4, 2),
    ],
)
def test_targets_and_bricks_are_counted_with_their_servers(kind, text, drives, servers, tmp_path):
    system, _ = find_system(sheet(tmp_path, kind, text))

    assert (system.drives, system.servers) == (drives, servers)


def test_copies_of_a_volume_are_noted(tmp_path):
    system, _ = find_system(sheet(tmp_path, "gluster", GLUSTER))

    assert any("Distributed-Replicate" in note for note in system.notes)


def test_nodes_have_the_cores_and_memory_of_most_of_them(tmp_path):
    system, _ = find_system(sheet(tmp_path, "slurm", SLURM))

    assert (system.hosts, system.host_cores, system.host_memory) == (3, 64, 257000 * 2**20)
    assert "1 of them differ" in system.notes[1]


@pytest.mark.parametrize(
    ("name", "hosts"), [("n[001-064]", 64), ("n[1-4,8],m", 6), ("rack1-n[9-10]", 2), ("a,b", 2), ("n7", 1)]
)
def test_a_list_of_nodes_counts_all_of_them(name, hosts, tmp_path):
    system, _ = find_system(sheet(tmp_path, "slurm", NODE.format(name, 1000)))

    assert system.hosts == hosts


@pytest.mark.parametrize(("text", "cores", "memory"), [(LSTOPO, 2, 251 * 2**30), (XML, 3, 2**30)])
def test_lstopo_says_cores_and_memory(text, cores, memory, tmp_path):
    system, _ = find_system(sheet(tmp_path, "lstopo", text))

    assert (system.host_cores, system.host_memory) == (cores, memory)


def test_sheets_are_joined_and_every_program_is_forecast_on_them(tmp_path, capsys):
    name = f"{sheet(tmp_path, 'lustre', LFS_DF)} + {sheet(tmp_path, 'slurm', SLURM)}"
    system, hashes = find_system(name)
    cluster, _ = find_cluster(name)

    assert (system.drives, system.hosts, system.host_cores) == (4, 3, 64)
    assert list(hashes) == ["lustre.txt", "slurm.txt"]
    assert len(cluster.servers) == 2
    assert run(["predict", "ior -t 1m -b 16m -F -w", name, "--ranks", "4", "--within", "9"]) in (0, 3)
    assert "ends of the machine's measured ranges" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("lustre", "", "expected the output of `lfs df`, found no OST in it"),
        ("lustre", LFS_DF + LFS_DF, "expected every OST once, got OST0000 twice - at line 12"),
        ("lustre", LFS_DF + LFS_DF.replace("scratch-OST", "home-OST9"), "expected a line of `lfs df`"),
        ("lustre", "x-OSTzzzz_UUID 1 2 3 4% /x\n", "got 'x-OSTzzzz_UUID 1 2 3 4% /x' - at line 1"),
        ("beegfs", "nothing\n", "no header line with TargetID"),
        ("beegfs", "TargetID NodeID\n1 1\n1 1\n", "expected every storage target once, got '1' twice"),
        ("beegfs", "TargetID NodeID\n1\n", "expected 2 columns"),
        ("gluster", GLUSTER + GLUSTER, "for one volume, found 2 volumes"),
        (
            "gluster",
            GLUSTER.replace("= 4", "= 5"),
            "expected 5 lines of bricks, as many as Number of Bricks",
        ),
        ("slurm", "nothing", "found no NodeName in it"),
        (
            "slurm",
            NODE.format("n1", "much"),
            "expected a whole number of at least 1 as RealMemory of a node, got 'much' - at n1",
        ),
        ("slurm", NODE.format("n1", 1) * 2, "the node 'n1' is listed twice"),
        ("slurm", NODE.format("n[1-x]", 1), "expected names of nodes such as node[001-064], got 'n[1-x]'"),
        ("slurm", NODE.format("n[9-1]", 1), "expected an ascending range of node numbers, got 'n[9-1]'"),
        ("slurm", NODE.format("DEFAULT", 1), "NodeName=DEFAULT in slurm.conf is not supported"),
        ("beegfs", "TargetID  Cap. Pool\n1 normal\n", "--nodetype=storage`, found no column NodeID in it"),
        ("lstopo", "Machine", "expected the output of `lstopo`"),
    ],
)
def test_a_bad_sheet_is_one_line_with_the_place_of_the_mistake(kind, text, message, tmp_path):
    with pytest.raises(ClusterError) as refused:
        find_system(sheet(tmp_path, kind, text))

    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_unknown_or_missing_sheet_is_refused(tmp_path):
    good = sheet(tmp_path, "lustre", LFS_DF)
    for bad in ("lustre:", f"{good} + oracle:b"):
        with pytest.raises(ClusterError, match="expected a description of a machine as one of"):
            find_system(bad)
    with pytest.raises(ClusterError, match="cannot read it"):
        find_system(f"lustre:{tmp_path / 'nowhere'}")


IO500 = """information_system,information_institution,information_client_nodes,information_client_sockets,\
information_client_cores_per_socket,information_client_volatile_memory_capacity,information_client_interconnect_type,\
information_client_interconnect_bandwidth,information_client_interconnect_links,information_ds_nodes,\
information_ds_media_primary_count,information_ds_media_primary_type,information_ds_media_primary_interface,\
information_ds_interconnect_bandwidth,information_ds_interconnect_links
Alpha,Here,10,2,32,512 GiB,InfiniBand,200 Gb/s,1,4,24,SSD,NVMe,25 GB/s,2
Beta,There,2,,,,Ethernet,,,8,,HDD,SAS,,
""".replace("\\\n", "")


def test_a_row_of_the_io500_list_is_a_machine(tmp_path):
    system, hashes = find_system(f"{sheet(tmp_path, 'io500', IO500)}#alpha")

    assert (system.name, system.hosts, system.host_cores, system.host_memory) == (
        "Alpha",
        10,
        64,
        512 * 2**30,
    )
    assert (system.servers, system.drives, system.drive_kind, system.rdma) == (4, 96, "nvme", True)
    assert (system.host_link, system.server_link) == (25e9, 50e9)  # bits by a small b, bytes by a large one
    assert list(hashes) == ["io500.txt"]


def test_what_a_row_leaves_empty_is_a_range(tmp_path):
    system, _ = find_system(f"{sheet(tmp_path, 'io500', IO500)}#There")

    assert (system.servers, system.drives, system.drive_kind) == (8, None, "hdd")
    assert {"number of drives", "link of a host", "cores of a host"} <= set(system.missing())


def test_the_older_columns_of_the_io500_list_are_read_too(tmp_path):
    text = "id,information__system,information__ds_nodes,information__ds_storage_devices,information__ds_storage_type\n"
    system, _ = find_system(sheet(tmp_path, "io500", f"{text}7,Old,3,12,HDD\n"))

    assert (system.drives, system.drive_kind) == (36, "hdd")
    assert any("of one server" in note for note in system.notes)


@pytest.mark.parametrize(
    ("row", "text", "words"),
    [
        ("", IO500, "selects one row, got no NAME for 2 rows: Alpha Here; Beta There"),
        ("#gamma", IO500, "got 'gamma' for 0 rows"),
        ("", "a,b\n1,2\n", "columns of the IO500 list"),
        (
            "#Beta",
            IO500.replace("Ethernet,,,8", "Ethernet,,,eight"),
            "expected a number that is not negative, got 'eight'",
        ),
        ("", IO500.replace(",2\n", "\n"), "expected 15 values, found 14"),
    ],
)
def test_a_mistake_in_an_io500_row_is_one_line(row, text, words, tmp_path):
    with pytest.raises(ClusterError) as refused:
        find_system(sheet(tmp_path, "io500", text) + row)

    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
