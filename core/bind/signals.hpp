// Long engines run without the GIL; this lets Ctrl-C end them.
#pragma once

#include <nanobind/nanobind.h>

namespace striate::bind {

// Takes the GIL for a moment and throws what a signal handler of Python raised.
inline void poll_signals() {
    nanobind::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

}  // namespace striate::bind
