"""BTIO on the IBM SP-2: paper 000's first study (Tables 2 and 3), from the inputs it prints."""

from striate.probe.microbenchmarks import Machine
from striate.queueing import Model, Power, SpmdParameters, effects

# Section 5.1.1: POLY1, COMMS1 and COMMS3 on the SP-2.
SP2 = Machine(
    processors=64,
    operations_per_second=120e6,
    startup_seconds=150e-6,
    bytes_per_second=27e6,
    saturation_bytes_per_second=120e6,
)
MEASURED = {9: 11.5, 64: 6.0}  # Table 3, five time steps
PRINTED = {9: 13.1, 64: 6.2}

# Table 2, one time step on one processor: messages 6 sqrt(p); 18 of 64 KB at p = 9, 48 of 18 KB at p = 64.
SECONDS_OF_DATA = {9: 18 * 64e3 / SP2.bytes_per_second, 64: 48 * 18e3 / SP2.bytes_per_second}


def btio(parallel_seconds: float = 6.9) -> SpmdParameters:
    """Class A, 64 x 64 x 64 points; the solution, 10 MB, is written every five time steps at 10 MB/s a disk."""
    return SpmdParameters(
        parallel_seconds=parallel_seconds,
        serial_seconds=0.08,
        message_startup_seconds=SP2.startup_seconds,
        messages=Power(1 / 2, factor=6),
        transfer_seconds=1,
        scale=SECONDS_OF_DATA,
        io_transfer_seconds=1,
        bursts_per_io=5,
        contention=0.23,
    )


def main() -> None:
    print(f"bound on the contention: r_inf / r_sat = {SP2.largest_contention:.3f} (printed 0.23)")
    print()
    print("five time steps, d = 3 I/O nodes            p = 9    p = 64")
    rows = [
        ("measured (Table 3)", MEASURED),
        ("model as printed (Table 3)", PRINTED),
        ("eq. 16, printed inputs", Model(btio(), "sio")),
        ("eq. 16, S_par = 840/120 = 7.0 s", Model(btio(7.0), "sio")),
        ("exact chain, printed inputs", Model(btio(), "sio", solver="exact")),
        ("five bursts every time (fixed loops)", Model(btio(), "sio", loops="fixed")),
    ]
    for label, source in rows:
        values = [source[p] if isinstance(source, dict) else source.time(p, 3) for p in (9, 64)]
        print(f"{label:40s} {values[0]:8.2f} {values[1]:9.2f}")
    print()
    for processors in (9, 64):
        model = Model(btio(), "sio")
        parts, use = model.components(processors, 3), model.utilisation(processors, 3)
        print(
            f"p = {processors}: CPU {parts.cpu:.2f} s, communication {parts.communication:.2f} s, "
            f"I/O {parts.io:.2f} s; network busy {use.network:.0%}; bottleneck {model.bottleneck(processors, 3)}"
        )
        largest = list(effects(model, processors, 3).items())[:3]
        print("  one percent more of " + ", ".join(f"{name} costs {value:.2f} %" for name, value in largest))


if __name__ == "__main__":
    main()
