// Plug-ins of shared objects: Python loads them and hands their parts to a run, which asks them without
// Python.
#include "striate/plugins/compiled.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engines.hpp"

namespace striate::bind {

namespace nb = nanobind;

namespace {

using Servers = std::vector<std::tuple<std::string, std::int64_t, std::int64_t>>;  // name, memory, disks

std::vector<PluginServer> servers_of(const Servers& listed) {
    std::vector<PluginServer> servers;
    for (const auto& [name, memory, disks] : listed) servers.push_back({name, memory, disks});
    return servers;
}

// A part knows the library by its path: a shared object is loaded once, however often it is asked for.
template <class Part>
auto made(const char* kind) {
    return [kind](Part* place, const std::string& path, const std::string& name, const Servers& servers,
                  std::int64_t io_request) {
        new (place) Part(CompiledLibrary(path).find(kind, name), servers_of(servers), io_request);
    };
}

}  // namespace

void register_compiled(nb::module_& module) {
    static PyObject* error = PyErr_NewException("striate._core.PluginFaultError", PyExc_Exception, nullptr);
    module.attr("PluginFaultError") = nb::borrow(error);
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const PluginFault& fault) {
            PyErr_SetObject(error, nb::make_tuple(fault.kind, fault.what()).ptr());
        }
    });
    module.def(
        "compiled_plugins",
        [](const std::string& path) {
            std::vector<std::pair<std::string, std::string>> found;
            for (const auto& [kind, name] : CompiledLibrary(path).plugins()) found.emplace_back(kind, name);
            return found;
        },
        nb::arg("path"), "Kinds and names of the plug-ins of a shared object, whose code is run.");
    nb::class_<CompiledScheduler>(module, "CompiledScheduler", "Schedulers of all servers.")
        .def("__init__", made<CompiledScheduler>("scheduler"), nb::arg("path"), nb::arg("name"),
             nb::arg("servers"), nb::arg("io_request"))
        .def("arrive",
             [](CompiledScheduler& part, std::uint32_t server, std::uint32_t slot, std::uint32_t rank,
                std::int64_t file, std::int64_t offset, std::int64_t size, bool write,
                Ticks now) { part.arrive(server, slot, Job{{file, offset, size, write}, 0, rank}, now); })
        .def("next", &CompiledScheduler::next);
    nb::class_<CompiledDisk>(module, "CompiledDisk", "Models of all disks.")
        .def("__init__", made<CompiledDisk>("disk"), nb::arg("path"), nb::arg("name"), nb::arg("servers"),
             nb::arg("io_request"))
        .def("ticks", [](CompiledDisk& part, std::uint32_t server, std::uint32_t disk, std::int64_t file,
                         std::int64_t offset, std::int64_t size, bool write,
                         Ticks now) { return part.ticks(server, disk, {file, offset, size, write}, now); });
    nb::class_<CompiledReplacement>(module, "CompiledReplacement", "Replacement policies of all servers.")
        .def("__init__", made<CompiledReplacement>("cache"), nb::arg("path"), nb::arg("name"),
             nb::arg("servers"), nb::arg("io_request"))
        .def("added", [](CompiledReplacement& part, std::uint32_t server, std::int64_t file,
                         std::int64_t number) { part.added(server, {file, number}); })
        .def("used", [](CompiledReplacement& part, std::uint32_t server, std::int64_t file,
                        std::int64_t number) { part.used(server, {file, number}); })
        .def("victim", [](CompiledReplacement& part, std::uint32_t server) {
            const auto [file, number] = part.victim(server);
            return std::pair(file, number);
        });
}

}  // namespace striate::bind
