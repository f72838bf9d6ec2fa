"""Hints: a layout, or a wish for servers, in the words an MPI library's own I/O understands."""

from __future__ import annotations

from typing import Any

from striate import units
from striate.errors import DatasetError


def hints(
    *,
    layout: Any = None,
    aggregators: int | None = None,
    aggregator_buffer: units.Quantity | None = None,
    data_sieving: bool | None = None,
) -> dict[str, str]:
    """Key and value pairs for `MPI.Info.Create`; a library ignores those it does not know.

    A `layout` of striate.layout gives `striping_unit` and `striping_factor` (Lustre, GPFS, PVFS2) when it is a
    simple stripe, and the hint of thesis 003 when it is one of variable strips. `aggregators` are the ranks that do the
    I/O of a collective call. Give them when the file is opened: the romio341 of Open MPI 5.0 corrupts memory when
    a buffer above 16 MiB is named in a file view instead.
    """
    found: dict[str, str] = {}
    if layout is not None:
        found |= _layout_hints(layout)
    if aggregators is not None:
        if aggregators < 1:
            raise DatasetError(f"expected at least one aggregator, got {aggregators}")
        # MPICH's default is one aggregator per node; without the list, cb_nodes alone changes nothing.
        found |= {"cb_nodes": str(aggregators), "cb_config_list": "*:*", "romio_cb_write": "enable",
                  "romio_cb_read": "enable"}  # fmt: skip
    if aggregator_buffer is not None:
        found["cb_buffer_size"] = str(units.size(aggregator_buffer))
    if data_sieving is not None:
        word = "enable" if data_sieving else "disable"
        found |= {"romio_ds_write": word, "romio_ds_read": word}
    return found


def _layout_hints(layout: Any) -> dict[str, str]:
    from striate.layout import Basic, Progressive, SimpleStripe, VarStrip

    if isinstance(layout, Basic):
        return {"striping_factor": "1"}
    if isinstance(layout, SimpleStripe):
        return {"striping_unit": str(layout.unit), "striping_factor": str(layout.servers)}
    if isinstance(layout, VarStrip):
        return {"varstrip_dist:string:strips": layout.hint()}  # thesis 003, section 3.2.2.2
    if isinstance(layout, Progressive):
        return {}  # components are set by `lfs setstripe`, see `setstripe_command`
    raise DatasetError(f"expected a layout basic, simple, varstrip or lustre as a hint, got {layout}")


def directory_attributes(layout: Any) -> dict[str, str]:
    """Extended attributes by which OrangeFS lays out new files of a directory: `setfattr -n NAME -v VALUE DIR`.

    OrangeFS takes variable strips in this form, and not as hints of MPI-IO.
    """
    from striate.layout import SimpleStripe, VarStrip

    if isinstance(layout, SimpleStripe):
        name, parameters = "simple_stripe", f"strip_size:{layout.unit}"
    elif isinstance(layout, VarStrip):
        name = "varstrip_dist"
        parameters = "strips:" + "".join(f"{strip.server}:{strip.size};" for strip in layout.strips)
    else:
        raise DatasetError(f"expected a layout simple or varstrip for a directory of OrangeFS, got {layout}")
    return {
        "user.pvfs2.dist_name": name,
        "user.pvfs2.dist_params": parameters,
        "user.pvfs2.num_dfiles": str(layout.servers),
    }
