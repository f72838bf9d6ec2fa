// Ranks at work: each task is stepped by its CPU, waits for its messages, and goes on to its next operation.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "striate/network/network.hpp"
#include "striate/programs/collective_calls.hpp"
#include "striate/programs/collective_steps.hpp"
#include "striate/programs/cursors.hpp"
#include "striate/programs/file_calls.hpp"
#include "striate/programs/point_to_point.hpp"
#include "striate/programs/processors.hpp"
#include "striate/programs/program_run.hpp"
#include "striate/programs/remote_memory.hpp"
#include "striate/refusal.hpp"

namespace striate {

// One thread of activity: task r is rank r's program, further ones are collectives in flight.
struct Task {
    enum class Phase : std::uint8_t { stepping, waiting, finishing, over };
    std::uint32_t rank = 0;
    std::uint32_t open = 0;  // parts it waits for
    Phase phase = Phase::stepping;
    bool quiet = false;             // goes on without a step when its wait is over
    std::int32_t communicator = 0;  // this and the rest: of a collective
    Ticks waits_since = 0;
    std::int64_t action = 0, last_action = 0;
    std::int64_t tag = 0;           // the number of the call, so that calls do not mix
    std::int64_t first_member = 0;  // its group's place in the communicator's list of members
    std::int64_t request = blocking;
    std::int32_t file_work = -1;  // of a collective access
    std::int32_t reaction = -1;   // of a collective whose members decide
};

class ProgramRunner : NetworkListener, MessageHost, MemoryHost, FileHost {
  public:
    ProgramRunner(Stations& stations, const ProgramInput& input, const RunOptions& options);
    [[nodiscard]] ProgramResult run(const RunOptions& options);

    // The network's calls.
    void on_sent(std::uint64_t cookie) override {
        if ((cookie & of_memory) != 0) return memory_.on_sent(cookie & ~of_memory);
        (cookie & of_file) != 0 ? files_->on_sent(cookie & ~of_file) : messages_.on_sent(cookie);
    }
    void on_delivered(std::uint64_t cookie) override {
        if ((cookie & of_memory) != 0) return memory_.on_delivered(cookie & ~of_memory);
        (cookie & of_file) != 0 ? files_->on_delivered(cookie & ~of_file) : messages_.on_delivered(cookie);
    }
    void on_timer(std::uint64_t cookie) override;

    // The messages' calls.
    void transmit(std::uint32_t source, std::uint32_t target, std::int64_t payload,
                  std::uint64_t cookie) override;
    void take_step(std::uint32_t rank, std::uint64_t cookie) override;
    void part_over(std::uint32_t owner, std::int64_t request) override;
    void matched(std::uint32_t owner, std::int64_t request, const Envelope& message,
                 std::int64_t bytes) override;

    // The remote memory's calls.
    void transmit_memory(std::uint32_t source, std::uint32_t target, std::int64_t payload,
                         std::uint64_t cookie) override;
    void combine(std::uint32_t rank, std::int64_t bytes, std::uint64_t cookie) override;
    void memory_over(std::uint32_t rank, std::int64_t request) override { part_over(rank, request); }

    // The files' calls.
    [[nodiscard]] Ticks now() const override { return network_->now(); }
    void transmit_file(std::uint32_t source, std::uint32_t target, std::int64_t payload, bool continues,
                       std::uint64_t cookie) override;
    void set_file_timer(Ticks time, std::uint64_t cookie) override;
    [[nodiscard]] std::uint32_t node_of(std::uint32_t rank) const override { return node(rank); }
    void take_file_step(std::uint32_t rank, std::uint64_t cookie) override;
    void work_for_file(std::uint32_t rank, Ticks work, std::uint64_t cookie) override;
    void set_receiving(std::uint32_t server, bool receives) override;
    void access_over(std::uint32_t owner, std::int64_t request) override;

  private:
    // Messages and jobs of remote memory.
    static constexpr std::uint64_t of_memory = std::uint64_t{1} << 55;
    // Messages and jobs of files, and their timers.
    static constexpr std::uint64_t of_file = std::uint64_t{1} << 60;
    static constexpr std::uint64_t of_file_timer = std::uint64_t{1} << 63;
    static constexpr std::uint64_t of_start = std::uint64_t{1} << 62;  // timers of ranks that begin later
    // Timers of messages that wait before they set out; the other bits are their place in late_.
    static constexpr std::uint64_t of_late = std::uint64_t{1} << 61;
    static constexpr std::uint64_t of_free_job = of_start | of_late;  // the timer of the first of free_jobs_
    // Jobs by their cookie: a task's own, one that continues a message, one half of a sendrecv.
    static constexpr std::uint64_t of_message = std::uint64_t{1} << 63;
    static constexpr std::uint64_t of_half = std::uint64_t{1} << 62;
    static constexpr std::uint64_t sends = std::uint64_t{1} << 61;
    static constexpr std::uint64_t of_met = std::uint64_t{1} << 59;  // one on its way to a collective access

    struct LateMessage {
        std::uint32_t source, target;
        std::int64_t payload;
        std::uint64_t cookie;
    };
    struct Computed {
        Ticks ticks = 0;            // since the last message to the rank
        Ticks last_departure = -1;  // of a message to it
    };
    struct Request {
        std::int64_t name;
        std::uint32_t open;
        bool awaited;
        bool offered = false;  // to the waitany that comes next
        bool taken = false;    // by a waitany: null, until it is awaited or begun again
    };
    using Requests = std::vector<Request>;
    // A receive that did not say from whom, or with which tag.
    struct OpenReceive {
        std::int64_t request;
        std::int32_t communicator;
        std::size_t bar;
    };
    struct Found {
        Envelope message{};
        std::int64_t request = nothing;
        static constexpr std::int64_t nothing = blocking - 1;
    };
    struct OpenRegion {
        std::uint32_t row;
        Ticks start;
    };
    using Meeting =
        std::tuple<std::int32_t, std::int64_t, std::int64_t>;  // communicator, group, number of the call

    // CPUs
    [[nodiscard]] std::uint32_t node(std::uint32_t rank) const {
        return static_cast<std::uint32_t>(input_.rank_node[rank]);
    }
    [[nodiscard]] Ticks step(std::uint32_t rank) const { return step_[node(rank)]; }
    [[nodiscard]] Ticks instructions(std::uint32_t rank, std::int64_t count) const;
    void arm(std::uint32_t at, const Processors::Alarm& alarm);
    void start_job(std::uint32_t rank, Ticks work, std::uint64_t cookie);
    void start_job(std::uint32_t rank, Ticks work, std::uint64_t cookie, Ticks notice);
    void start_computing(std::uint32_t rank);
    void end_job(std::uint64_t job);
    void end_free_job();

    // Messages that wait for their receiver's turn
    [[nodiscard]] Ticks departure(std::uint32_t target);
    void start_late(std::size_t at);

    // A rank's program
    void next_operation(std::uint32_t rank);
    void job_over(std::uint32_t task);
    void perform(std::uint32_t rank);
    void perform_half(std::uint32_t rank, bool half_sends);
    void await(std::uint32_t task);
    void one_less(std::uint32_t task);
    void open_part(std::uint32_t rank, std::int64_t request);
    void send(std::uint32_t rank, std::int64_t peer, std::int64_t tag, std::int64_t bytes,
              std::int64_t request);
    void receive(std::uint32_t rank, std::int64_t peer, std::int64_t tag, std::int64_t room,
                 std::int64_t request);
    void await_request(std::uint32_t rank, std::int64_t name);
    void await_all(std::uint32_t rank);
    void offer(std::uint32_t rank);
    void await_any(std::uint32_t rank, std::int64_t least, std::int64_t most);
    void take_request(std::uint32_t rank, Request& request);
    void withdraw_offers(std::uint32_t rank);
    void reach_memory(std::uint32_t rank);
    [[nodiscard]] Requests::iterator find_request(std::uint32_t rank, std::int64_t name);
    [[nodiscard]] const GroupColumns& groups(std::uint32_t rank) const;
    [[nodiscard]] std::int64_t first_member(std::uint32_t rank) const;
    [[nodiscard]] std::uint32_t world_rank(std::uint32_t rank, std::int64_t peer) const;
    [[nodiscard]] static std::int64_t context(std::int32_t communicator, bool collective) {
        return 2 * std::int64_t{communicator} + (collective ? 1 : 0);
    }

    // Collectives
    void start_collective(std::uint32_t rank);
    [[nodiscard]] std::uint32_t take_task();
    void act(std::uint32_t task);
    void exchange(std::uint32_t task, bool outward, std::int32_t peer, std::int64_t payload);
    void take_collective_step(std::uint32_t task, std::int64_t at);
    void meet(const Meeting& where, const PointToPoint::Caller& who, std::int64_t members);

    // Collectives that react
    struct Reaction {
        ActingMember member{};
        std::vector<std::int64_t> heard;  // positions, in the last step
        std::vector<ActorStep> step;      // begins when its instructions are done
        bool prepared = false;
        bool first = true;
    };
    [[nodiscard]] std::int32_t take_reaction(const ActingMember& member);
    void act_on_reaction(std::uint32_t task);
    [[nodiscard]] std::int64_t position_in(const Task& task, const Envelope& message) const;

    // Files
    struct FileRuns {
        std::vector<std::int64_t> offsets, sizes;
        [[nodiscard]] RunsView view() const { return {offsets, sizes}; }
    };
    // A rank in a call that a group makes on a file: an access, or only a meeting.
    struct Joined {
        std::uint32_t rank;
        std::int64_t request;
        std::int64_t file;
        bool accesses, writes;
        std::uint32_t row;  // of the program table
        FileRuns runs;
        int steps = 1;  // before the access
    };
    // What a member does in a collective access by way of aggregators.
    struct FileStep {
        enum class What : std::uint8_t { send, receive, access, wait, list, copy };
        What what;
        std::int32_t peer = 0;
        std::int64_t bytes = 0;  // of a message or a copy; of a list its runs
        FileRuns runs;
    };
    struct FileWork {
        std::int64_t file;
        bool writes;
        std::vector<FileStep> steps;
        std::size_t next = 0;
    };

    void start_files(std::size_t ranks, const RunOptions& options);
    void perform_file(std::uint32_t rank);
    void open_file(std::uint32_t rank);
    void close_file(std::uint32_t rank);
    void flush(std::uint32_t rank);
    void flush_is_over(std::uint32_t rank);
    void ask_metadata(std::uint32_t rank);
    [[nodiscard]] bool together(std::uint32_t rank) const;
    [[nodiscard]] bool leads(std::uint32_t rank) const;
    [[nodiscard]] FileRuns runs_of(std::uint32_t rank) const;
    void meet_for_file(std::uint32_t rank, std::int64_t request, bool accesses);
    void let_go_on(std::vector<Joined> everyone, const Meeting& where);
    [[nodiscard]] static bool interleaved(const std::vector<Joined>& everyone,
                                          std::span<const std::int64_t> position);
    void access_in_steps(Joined one);
    void step_to_access(std::uint32_t place);
    void sum_servers();

    // Collective access by way of aggregators
    void exchange_access(std::vector<Joined> everyone, const Meeting& where, const CollectiveRule& rule);
    [[nodiscard]] std::vector<std::int64_t> aggregators(const std::vector<Joined>& members,
                                                        const CollectiveRule& rule) const;
    void act_on_file(std::uint32_t task);

    // The timeline
    void record(std::uint32_t rank);
    void record_marks(std::uint32_t rank);
    void record_chosen(std::uint32_t rank, Bar bar);
    void name_source(const Envelope& message, std::int32_t communicator, std::int32_t& source,
                     std::int32_t& tag) const;

    // The end
    void expect_all_over() const;
    [[nodiscard]] Wait wait_of(const PointToPoint::Open& open) const;
    [[nodiscard]] RankRow place_of(std::uint32_t rank) const;
    [[nodiscard]] std::vector<Wait> who_waits() const;
    [[nodiscard]] Wait who_meets(const Meeting& where,
                                 const std::vector<PointToPoint::Caller>& callers) const;

    ProgramInput input_;
    std::unique_ptr<Network> network_;
    Cursors cursors_;
    CollectiveBook book_;
    CollectiveCalls collectives_;
    Processors processors_;
    PointToPoint messages_;
    RemoteMemory memory_;
    std::unique_ptr<FileService> files_;
    std::unique_ptr<FileCalls> file_calls_;
    std::map<Meeting, std::vector<Joined>> file_meetings_;
    std::vector<Joined> met_;
    std::vector<std::uint32_t> free_met_;
    std::map<std::uint32_t, std::vector<Joined>> flushing_;  // by the rank that asked for all of them
    std::vector<Reaction> reactions_;
    std::vector<std::int32_t> free_reactions_;
    std::vector<FileWork> file_works_;
    std::vector<std::int32_t> free_works_;
    std::vector<std::uint8_t> told_;  // per rank: a close that flushes has told the metadata server
    std::vector<Task> tasks_;
    std::vector<std::uint32_t> free_tasks_;
    std::vector<Requests> requests_;      // per rank, of non-blocking operations not yet waited for
    std::vector<std::uint8_t> choosing_;  // per rank: waits for one of those offered
    std::vector<std::vector<std::int64_t>> chosen_;  // per rank, with a timeline: what its waitany took
    std::vector<std::int64_t> calls_;                // of collectives, per rank and communicator
    std::map<Meeting, std::vector<PointToPoint::Caller>> meetings_;
    std::vector<Ticks> step_;              // per node
    std::vector<Computed> computed_;       // per rank, where lags are known
    std::deque<std::uint64_t> free_jobs_;  // jobs without work, in the order in which they end
    std::vector<std::uint64_t> over_;      // jobs that end at the timer being played
    std::vector<LateMessage> late_;
    std::vector<std::size_t> free_late_;
    Timeline* timeline_;  // and what it takes to write it, by rank
    std::vector<Ticks> began_;
    std::vector<std::uint32_t> marks_;
    std::vector<std::vector<OpenRegion>> open_regions_;
    std::vector<std::vector<OpenReceive>> open_receives_;
    std::vector<Found> found_;              // by the operation in flight
    std::optional<CollectiveSteps> steps_;  // where the timeline wants them, by task
    ProgramResult result_;
};

}  // namespace striate
