"""Sound inputs that describe jobs and machines in other tools' words: training, storage sheets, tables of runs."""

import json
import math
from collections.abc import Callable
from pathlib import Path

DLIO = """model: {name: "NAME", type: cnn, model_size: 499153191}
framework: pytorch
workflow: {generate_data: False, train: True, checkpoint: True}
dataset:
  data_folder: "data/NAME"
  format: npz
  num_files_train: 168
  num_samples_per_file: 1
  record_length_bytes: 146600628
reader: {data_loader: pytorch, batch_size: 7, read_threads: 4, file_shuffle: seed}
train: {epochs: 2, computation_time: 0.323}
checkpoint: {checkpoint_folder: "NAME", checkpoint_after_epoch: 1, epochs_between_checkpoints: 1}
metric: {au: 0.90}
"""
GRAPHS = """group,disk,receivers,local,compute,blocks,write
0,0,1,true,10 ms,1,0
0,1,0,true,1 ms,2,0
1,0,,true,0 s,1,1
"""


def graphs_toml(table: str) -> str:
    """The application that reads a table of graphs."""
    return f'app = "graphs"\ntable = {json.dumps(table)}\nprocessors = 2\nblock = "64 KB"\n'


def dlio(name: str) -> str:
    """A training workload of DLIO."""
    return DLIO.replace("NAME", json.dumps(name, ensure_ascii=True)[1:-1])


def sheet(name: str) -> str:
    """A storage system as a sheet of MLPerf Storage."""
    port = {"network_name": name, "bitrate": 200, "count_of_this_type": 1, "protocols": ["RDMA"]}
    drive = {
        "purpose": ["Holds the data"],
        "drive_type": "SSD",
        "capacity_GiB": 7500,
        "count_of_this_type": 16,
    }
    drive |= {"interface": "NVMe", "performance": {"read_bandwidth": {"peak_bandwidth": 14}}}
    client = {"node_type_name": "Client", "config_options": [], "DRAM": {"capacity_MiB": 524288}}
    client |= {"CPU": {"vendor_and_model_name": name, "socket_count": 2, "cores_per_socket": 32}}
    client |= {"accelerators": [{"vendor_and_model": name, "count_of_this_type": 8}], "nic_ports": [port]}
    client |= {"drives": [drive | {"purpose": ["Hold the OS"]}]}
    storage = client | {"node_type_name": "Storage", "accelerators": [], "drives": [drive]}
    host = {"node_name": name, "node_type_name": "client", "benchmark_instances": []}
    system = {"raw_capacity_GiB": 16 * 7000, "software_components": []}
    document = {
        "networks": [],
        "nodes": [client, storage],
        "benchmark_hosts": [host],
        "storage_system": system,
    }
    return json.dumps(document, indent=1)


def runs(name: str) -> str:
    """Repeated runs of one job, for `noise learn`."""
    quoted = '"' + name.replace('"', '""') + '"'
    rows = (f"{quoted},{quoted},64,{10 * math.exp(0.2 * math.sin(7 * day)):.4f},{day}" for day in range(20))
    return "\n".join(("machine,program,ranks,seconds,start", *rows)) + "\n"


def rates(_: str) -> str:
    """Measured collective writes, for `fit --rates`."""
    rows = (f"{n},8,4,{m},0,{n}GiB,{0.5 + n / (4 + m):.3f}" for n in (1, 2, 4, 8) for m in (1, 2))
    return "\n".join(("nodes,ranks_per_node,stripes,multiplier,lock_mode,bytes,seconds", *rows)) + "\n"


def noise_json(table: Path) -> str:
    """What `noise learn` writes of a table of runs."""
    from striate.noise.learn import learn
    from striate.noise.runs import read_runs

    return learn(read_runs(table).series, source=table.name).to_json()


JOBS: dict[str, tuple[str, Callable[[str], str]]] = {  # format -> name of the file, and its content
    "dlio": ("job.yaml", dlio),
    "sheet": ("box.json", sheet),
    "runs": ("runs.csv", runs),
    "rates": ("rates.csv", rates),
}
