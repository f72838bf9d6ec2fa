"""Sound inputs in the form of other tools: benchmarks' job files, and what commands of a machine print."""

import json
from collections.abc import Callable

FIO = """[global]
ioengine=libaio
direct=1
bs=64k
[{0}]
rw=randrw
rwmixread=70
size=2m
iodepth=4
numjobs=2
[second]
stonewall
rw=write
filename={0}
directory={0}
size=1m
io_size=3m
fsync=4
end_fsync=1
loops=2
nrfiles=1
offset=4k
offset_increment=1m
unlink=1
"""
IO500 = """[global]
datadir = {0}
[debug]
stonewall-time = 0
[ior-easy]
API = MPIIO -c
transferSize = 2m
blockSize = 8m
filePerProc = FALSE
[ior-easy-read]
run = TRUE
[ior-hard]
segmentCount = 20
[mdtest-easy]
n = 5
[mdtest-hard]
n = 7
[find]
run = FALSE
"""
LFS_DF = """UUID                   1K-blocks        Used   Available Use% Mounted on
{0}-MDT0000_UUID     8194624      119872     7561600   2% /mnt/{0}[MDT:0]
{0}-OST0000_UUID   104857600     1234567    99000000   2% /mnt/{0}[OST:0]
{0}-OST000a_UUID        100.5G     1234567    99000000   2% /mnt/{0}[OST:10]
OST000b             : inactive device
filesystem_summary:    419430400     4938268   396000000   2% /mnt/{0}
"""
BEEGFS = """TargetID   Reachability   Consistency   NodeID
========   ============   ===========   ======
     101         Online          Good   {0} [ID: 1]
     201         Online          Good   store2 [ID: 2]
"""
GLUSTER = """Volume Name: {0}
Type: {0}
Status: Started
Number of Bricks: 2 x 1 = 2
Bricks:
Brick1: {0}:/bricks/{0}
Brick2: beta:/bricks/1
"""
SLURM = """NodeName={0} Arch={0} CoresPerSocket=32
   CPUAlloc=0 CPUTot=128 CPULoad=0.01
   RealMemory=257000 AllocMem=0 FreeMem=250000 Sockets=2 Boards=1
NodeName=n2 CPUTot=64 RealMemory=257000
"""
LSTOPO = """Machine ({0} 251.5GB total)
  Package L#0 "{0}"
    L3 L#0 (32MB)
      L2 L#0 (512KB) + L1d L#0 (32KB) + Core L#0 + PU L#0 (P#0)
      L2 L#1 (512KB) + L1d L#1 (32KB) + Core L#1 + PU L#1 (P#1)
"""
SYSTEM = """nodes:
  - node_type_name: Client
    DRAM: {capacity_MiB: 524288}
    CPU: {vendor_and_model_name: NAME, socket_count: 2, cores_per_socket: 32}
    nic_ports: [{network_name: NAME, bitrate: 200, count_of_this_type: 1, protocols: [RDMA]}]
  - node_type_name: Storage
    nic_ports: [{network_name: NAME, bitrate: 200}]
    drives: [{purpose: [NAME data], interface: NVMe, capacity_GiB: 7500, count_of_this_type: 16}]
benchmark_hosts: [{node_name: NAME, node_type_name: Client}]
storage_system: {raw_capacity_GiB: 112000}
"""


def _words(text: str) -> Callable[[str], str]:
    """The text with the name where formats of lines and words can have it: blanks would end it."""
    return lambda name: text.replace("{0}", "_".join(name.split()))


def h5bench(name: str) -> str:
    """A configuration that writes, then reads a part."""
    steps = {"NUM_PARTICLES": "1 M", "TIMESTEPS": "2", "EMULATED_COMPUTE_TIME_PER_TIMESTEP": "1 s"}
    part = {"DIM_1": 4096, "DIM_2": "16", "READ_OPTION": "PARTIAL", "TO_READ_NUM_PARTICLES": "4 K"}
    read = {"benchmark": "read", "file": name, "configuration": part | {"COLLECTIVE_DATA": "YES"}}
    document = {
        "mpi": {"command": name, "ranks": "4", "configuration": "-np 3 --allow-run-as-root"},
        "vol": {},
        "file-system": {"lustre": {"stripe-size": "1M", "stripe-count": "4"}},
        "directory": name,
        "benchmarks": [{"benchmark": "write", "file": name, "configuration": steps}, read],
    }
    return json.dumps(document, indent=1)


def system(name: str) -> str:
    """A sheet of MLPerf Storage in YAML."""
    return SYSTEM.replace("NAME", json.dumps(name, ensure_ascii=True))


TOOLS: dict[str, tuple[str, Callable[[str], str]]] = {  # format -> name of the file, and its content
    "fio": ("jobs.fio", _words(FIO)),
    "h5bench": ("h5bench.json", h5bench),
    "io500": ("config.ini", _words(IO500)),
    "lfs df": ("df.txt", _words(LFS_DF)),
    "beegfs-ctl": ("targets.txt", _words(BEEGFS)),
    "gluster": ("volume.txt", _words(GLUSTER)),
    "scontrol": ("nodes.txt", _words(SLURM)),
    "lstopo": ("host.txt", _words(LSTOPO)),
    "sheet yaml": ("system.yaml", system),
}
