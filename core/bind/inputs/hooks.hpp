// Parts of a run that Python decides: the objects of a striate.plugins.hooks.Hooks, called by the core.
#pragma once

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "../columns.hpp"
#include "striate/plugins/compiled.hpp"
#include "striate/programs/program_run.hpp"

namespace striate::bind {

class Hooks : public nb::object {
    NB_OBJECT(Hooks, nb::object, "striate.plugins.hooks.Hooks | None", is_any)
    static bool is_any(PyObject*) { return true; }
};

// Every class holds one of the objects; a run calls it from its own thread, which takes the GIL for the call.
// What Python raises ends the run.
class PythonPart {
  public:
    explicit PythonPart(nb::handle part) : part_(part) {}
    [[nodiscard]] bool given() const { return part_.is_valid() && !part_.is_none(); }
    // Whom a run asks: the part itself where it is compiled, else `through`, which calls Python.
    template <class Part, class Compiled>
    [[nodiscard]] Part* asked(Part* through) const {
        return nb::isinstance<Compiled>(part_) ? nb::cast<Compiled*>(part_) : through;
    }

  protected:
    nb::handle part_;
};

class PythonScheduler : public RequestScheduler, public PythonPart {
  public:
    using PythonPart::PythonPart;
    void arrive(std::uint32_t server, std::uint32_t slot, const Job& job, Ticks now) override {
        const nb::gil_scoped_acquire acquire;
        const Access& access = job.access;
        part_.attr("arrive")(server, slot, job.writer, access.file, access.offset, access.bytes, access.write,
                             now);
    }
    std::vector<std::uint32_t> next(std::uint32_t server, Ticks now) override {
        const nb::gil_scoped_acquire acquire;
        return nb::cast<std::vector<std::uint32_t>>(part_.attr("next")(server, now));
    }
};

class PythonDisk : public DiskModel, public PythonPart {
  public:
    using PythonPart::PythonPart;
    Ticks ticks(std::uint32_t server, std::uint32_t disk, const Access& access, Ticks now) override {
        const nb::gil_scoped_acquire acquire;
        return nb::cast<Ticks>(
            part_.attr("ticks")(server, disk, access.file, access.offset, access.bytes, access.write, now));
    }
};

class PythonReplacement : public PageReplacement, public PythonPart {
  public:
    using PythonPart::PythonPart;
    void added(std::uint32_t server, const Page& page) override { tell("added", server, page); }
    void used(std::uint32_t server, const Page& page) override { tell("used", server, page); }
    Page victim(std::uint32_t server) override {
        const nb::gil_scoped_acquire acquire;
        const auto [file, number] =
            nb::cast<std::pair<std::int64_t, std::int64_t>>(part_.attr("victim")(server));
        return {file, number};
    }

  private:
    void tell(const char* what, std::uint32_t server, const Page& page) {
        const nb::gil_scoped_acquire acquire;
        part_.attr(what)(server, page.file, page.number);
    }
};

class PythonRoutes : public RouteChooser, public PythonPart {
  public:
    using PythonPart::PythonPart;
    std::vector<std::int32_t> route(std::int32_t from, std::int32_t to) override {
        const nb::gil_scoped_acquire acquire;
        return nb::cast<std::vector<std::int32_t>>(part_.attr("route")(from, to));
    }
};

class PythonPlanner : public CollectivePlanner, public PythonPart {
  public:
    using PythonPart::PythonPart;
    std::vector<FilePiece> pieces(std::int64_t file, bool write, const CollectiveAccess& access,
                                  std::span<const std::int64_t> ranks) override {
        const nb::gil_scoped_acquire acquire;
        const nb::object answer = part_.attr("plan")(
            file, write, copied(access.first_run), copied(access.offset), copied(access.size), copied(ranks));
        const auto rows =
            nb::cast<nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(answer);
        std::vector<FilePiece> pieces;
        for (std::size_t row = 0; row < rows.shape(0); ++row) {
            pieces.push_back({rows(row, 0), rows(row, 1), rows(row, 2), rows(row, 3)});
        }
        return pieces;
    }

  private:
    static Owned<std::int64_t> copied(std::span<const std::int64_t> column) {
        return hand_over(std::vector<std::int64_t>(column.begin(), column.end()));
    }
};

class PythonActor : public CollectiveActor, public PythonPart {
  public:
    using PythonPart::PythonPart;
    bool next(const ActingMember& member, std::span<const std::int64_t> heard, Ticks now,
              std::vector<ActorStep>& step) override {
        const nb::gil_scoped_acquire acquire;
        const nb::object answer =
            part_.attr("next")(member.schedule, member.communicator, member.group, member.number,
                               member.position, std::vector<std::int64_t>(heard.begin(), heard.end()), now);
        if (answer.is_none()) return false;
        for (const auto& [action, peer, amount] :
             nb::cast<std::vector<std::tuple<int, std::int32_t, std::int64_t>>>(answer)) {
            step.push_back({static_cast<Action>(action), peer, amount});
        }
        return true;
    }
};

// Alive as long as the run that asks them; the caller keeps the Python objects.
struct RunHooks {
    explicit RunHooks(const Hooks& hooks)
        : scheduler(part(hooks, "scheduler")),
          disk(part(hooks, "disk")),
          cache(part(hooks, "cache")),
          routing(part(hooks, "routing")),
          collective_io(part(hooks, "collective_io")),
          collective(part(hooks, "collective")) {}
    RunHooks(const RunHooks&) = delete;
    RunHooks& operator=(const RunHooks&) = delete;

    void put_into(FileRules& files) {
        std::uint32_t number = 0;
        for (ServerRules& server : files.servers) {
            server.queue.server = server.device.server = server.read_cache.server = number++;
            if (scheduler.given())
                server.queue.scheduler = scheduler.asked<RequestScheduler, CompiledScheduler>(&scheduler);
            if (disk.given()) server.device.model = disk.asked<DiskModel, CompiledDisk>(&disk);
            if (cache.given()) {
                server.read_cache.replacement = cache.asked<PageReplacement, CompiledReplacement>(&cache);
                server.read_cache.capacity_bytes = server.queue.memory_bytes;
            }
        }
        if (collective_io.given()) files.planner = &collective_io;
    }
    void put_into(ProgramInput& programs) {
        if (collective.given()) programs.actor = &collective;
    }
    void put_into(NetworkSettings& settings) {
        if (routing.given()) settings.chooser = &routing;
    }

    PythonScheduler scheduler;
    PythonDisk disk;
    PythonReplacement cache;
    PythonRoutes routing;
    PythonPlanner collective_io;
    PythonActor collective;

  private:
    // The Hooks object holds a reference to each part, so that a borrowed one is enough.
    static nb::handle part(const Hooks& hooks, const char* name) {
        return hooks.is_none() ? nb::handle() : nb::handle(nb::object(hooks.attr(name)).ptr());
    }
};

}  // namespace striate::bind
