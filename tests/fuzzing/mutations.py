"""Changes of bytes, of text and of Parquet cells that keep most of an input sound."""

import base64
import io
import random

EXTREMES = (0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1)
TOKENS = (
    *(
        b"-1",
        b"0",
        b"1e309",
        b"nan",
        b"inf",
        b"-0.0",
        b"9223372036854775807",
        b"1e18",
        b"0.5",
        b"true",
        b"null",
    ),
    *(
        b"1 EB/s",
        b"1 B/s",
        b"8 EiB",
        b"1 ps",
        b"1 d",
        b"[]",
        b"{}",
        b'""',
        b"[[]]",
        b"2147483648",
        b"-9223372036854775808",
    ),
    *(
        b"\xff\xfe",
        b"\x1b[31m",
        b"\x00",
        b"$(id)",
        b"\n",
        b"=1+1",
        b"9" * 5000,
        b"[" * 3000,
        b"1:1000000000",
        b"1/0",
    ),
)
NUMBERS = b"0123456789"


def mutated(content: bytes, random_: random.Random) -> bytes:
    """One to a few of: flipped bits, extreme words, other numbers, tokens, a cut, a doubled or dropped stretch."""
    data = bytearray(content)
    gentle = random_.randrange(2)  # half of them change values alone, and come further
    for _ in range(random_.choice((1, 1, 2, 3) if gentle else (1, 1, 1, 2, 3, 8))):
        at = random_.randrange(len(data)) if data else 0
        match 7 if gentle else random_.randrange(10):
            case 0 if data:
                data[at] ^= 1 << random_.randrange(8)
            case 1 if data:
                data[at] = random_.randrange(256)
            case 2:
                width = random_.choice((4, 8))
                data[at : at + width] = (random_.choice(EXTREMES) % 2 ** (8 * width)).to_bytes(
                    width, "little"
                )
            case 3:
                del data[at:]
            case 4:
                del data[at : at + random_.randrange(1, 64)]
            case 5:
                data[at:at] = data[at : at + random_.randrange(1, 64)]
            case 6:
                data[at:at] = random_.choice(TOKENS)
            case 7 | 8 if data:
                _other_value(data, at, random_)
            case _:
                data[at:at] = random_.randbytes(random_.randrange(1, 16))
    return bytes(data)


def _other_value(data: bytearray, at: int, random_: random.Random) -> None:
    """Replace the next run of digits, or the next quoted text, by a token: it stays well-formed more often."""
    begin = next((i for i in range(at, len(data)) if data[i] in NUMBERS or data[i : i + 1] == b'"'), None)
    if begin is None:
        return
    end = begin + 1
    if data[begin : begin + 1] == b'"':
        end = data.find(b'"', begin + 1)
        data[begin + 1 : max(end, begin + 1)] = random_.choice(TOKENS)
        return
    while end < len(data) and data[end] in NUMBERS:
        end += 1
    data[begin:end] = random_.choice(TOKENS)


def mutated_table(content: bytes, random_: random.Random) -> bytes:
    """A sound Parquet file with a few cells or its metadata changed: what no checksum of the format would notice."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(content))
    extremes = (-1, 0, 1, -5, 2**31 - 1, -(2**31), 2**62, 2**63 - 1, -(2**63))
    for _ in range(random_.randrange(1, 4)):
        at = random_.randrange(table.num_columns)
        column = table.column(at)
        if pa.types.is_integer(column.type) and len(column):
            cells = column.to_pylist()
            bits = column.type.bit_width
            value = random_.choice(extremes) % 2**bits
            signed = (
                value - 2**bits
                if value >= 2 ** (bits - 1) and pa.types.is_signed_integer(column.type)
                else value
            )
            cells[random_.randrange(len(cells))] = signed
            table = table.set_column(at, table.schema.field(at), pa.array(cells, column.type))
    metadata = dict(table.schema.metadata or {})
    if metadata and random_.randrange(2) == 0:
        key = random_.choice(sorted(metadata))
        packed = key == b"resources"
        inside = mutated(base64.b64decode(metadata[key]) if packed else metadata[key], random_)
        metadata[key] = base64.b64encode(inside) if packed else inside
    sink = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), sink, compression="none")
    return sink.getvalue()
