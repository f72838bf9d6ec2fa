// The engine behind run_program_flows: ranks, their messages and their file accesses on one set of clocks.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "striate/events/hole_heap.hpp"
#include "striate/flows/program_flows.hpp"
#include "striate/network/gap_clock.hpp"
#include "striate/network/message_clocks.hpp"
#include "striate/pool.hpp"
#include "striate/programs/collective_calls.hpp"
#include "striate/programs/cursors.hpp"
#include "striate/programs/file_calls.hpp"
#include "striate/programs/matching.hpp"
#include "striate/pulse.hpp"

namespace striate {

class ProgramFlows {
  public:
    ProgramFlows(Stations& stations, const ProgramInput& input, FlowOrder order,
                 const std::function<void()>& poll);
    [[nodiscard]] ProgramFlowResult run();

  private:
    void expect_all_over() const;

    struct Request {
        std::int64_t name;
        std::uint32_t open;
        bool awaited;
        Ticks until;
    };
    struct Rank {
        Ticks now = 0;
        Ticks until = 0;         // the latest end of what it has waited for
        std::uint32_t open = 0;  // parts it waits for
        bool waits = false, over = false;
        std::int64_t action = 0, last_action = 0;  // of the collective it is in
        std::int64_t tag = 0, first_member = 0;
        std::int32_t communicator = 0;
        std::vector<Request> requests;
    };
    struct Message {
        Envelope envelope;
        std::int64_t payload, request;
        std::uint32_t place, receive;
        bool rendezvous;
        Ticks at;  // when its envelope has arrived
    };
    struct Receive {
        std::uint32_t rank;
        std::int64_t request;
        Ticks at;           // when it was posted
        std::int64_t room;  // bytes it takes at most; 0: whatever comes
    };
    struct Part {  // of an access, on one server
        std::uint32_t rank, server;
        std::int64_t request, bytes, runs;
        std::int64_t read_first;  // bytes that are read before any is sent
        std::int64_t longest;     // of its runs
        bool write, last;
    };
    // What an event does; the low bits of its key say to what.
    enum class Leg : std::uint64_t {
        resume,
        question,
        answer,
        data,
        eager,
        arrive,
        ask,
        write_data,
        read_disk
    };
    using Meeting = std::tuple<std::int32_t, std::int64_t, std::int64_t>;  // communicator, group, call

    // Whether nothing waits for a busy resource.
    [[nodiscard]] bool alone() const { return order_ <= FlowOrder::chain; }

    // Order
    void resume(std::uint32_t rank, Ticks time);
    void at(Ticks time, Leg leg, std::uint32_t index);
    void happen(const Event& event);
    [[nodiscard]] bool next(Event& event);

    // Ranks
    void go_on(std::uint32_t rank);
    void perform(std::uint32_t rank);
    void stand(std::uint32_t rank);
    void act(std::uint32_t rank);
    void open_part(std::uint32_t rank, std::int64_t request);
    void part_over(std::uint32_t rank, std::int64_t request, Ticks time);
    void await_request(std::uint32_t rank, std::int64_t name);
    void await_all(std::uint32_t rank);
    void one_less(std::uint32_t rank, Ticks time);
    [[nodiscard]] Ticks compute(std::uint32_t rank, Ticks work);
    [[nodiscard]] std::size_t node(std::uint32_t rank) const {
        return static_cast<std::size_t>(input_.rank_node[rank]);
    }
    [[nodiscard]] const GroupColumns& groups(std::uint32_t rank) const {
        return input_.communicators[static_cast<std::size_t>(cursors_.communicator(rank))];
    }
    [[nodiscard]] std::int64_t first_member(std::uint32_t rank) const;
    [[nodiscard]] std::int64_t members(std::uint32_t rank) const;

    // Messages
    void send(std::uint32_t rank, const Envelope& envelope, std::int64_t payload, std::int64_t request,
              bool rendezvous);
    void receive(std::uint32_t rank, const Pattern& pattern, std::int64_t request, std::int64_t room = 0);
    void send_to(std::uint32_t rank, std::size_t operand, std::int64_t request);
    void receive_from(std::uint32_t rank, std::size_t operand, std::int64_t request);
    void match(std::uint32_t message, std::uint32_t receive);
    void transfer(Leg leg, std::uint32_t message, Ticks time);
    void arrive(std::uint32_t message, Ticks time);
    Flight fly(std::uint32_t source, std::uint32_t target, std::int64_t payload, Ticks time);
    Flight fly_file(std::uint32_t source, std::uint32_t target, std::int64_t payload, Ticks time);
    Flight noted(std::uint32_t source, std::uint32_t target, Ticks time, const Flight& flight);

    // Collectives and files
    void start_collective(std::uint32_t rank);
    [[nodiscard]] std::int64_t call_number(std::uint32_t rank);
    [[nodiscard]] bool meet(std::uint32_t rank, std::vector<std::uint32_t>& everyone);
    void perform_file(std::uint32_t rank);
    void access(std::uint32_t rank);
    [[nodiscard]] bool together(std::uint32_t rank) const;
    void meet_for_file(std::uint32_t rank);
    [[nodiscard]] Ticks synced(std::uint32_t rank);
    void file_leg(Leg leg, std::uint32_t part, Ticks time);
    struct Service {
        Ticks begun, over;
    };
    Service serve(std::uint32_t server, std::int64_t bytes, std::int64_t jobs, bool write, Ticks time);
    void written(const Part& part, const Flight& data);
    void read(const Part& part, Ticks time);
    void read_alone(const Part& part, Ticks time);
    [[nodiscard]] Ticks least_write_ticks(std::uint32_t server) const;
    [[nodiscard]] Ticks least_disk_ticks(std::uint32_t server, std::int64_t bytes) const;
    void skip_file(std::uint32_t rank);

    ProgramInput input_;
    FlowOrder order_;
    Pulse pulse_;
    Cursors cursors_;
    CollectiveBook book_;
    CollectiveCalls collectives_;
    std::optional<FileCalls> file_calls_;
    Matching matching_;
    MessageClocks network_;
    std::vector<Rank> ranks_;
    std::vector<Message> messages_;
    std::vector<Receive> receives_;
    std::vector<Part> parts_;
    std::vector<std::uint32_t> free_messages_, free_receives_, free_parts_;
    std::vector<Matching::Match> matches_;
    std::vector<std::vector<Ticks>> cpus_;  // per node that has fewer CPUs than ranks
    std::vector<Ticks> step_;               // per node
    std::vector<GapClock<64>> disk_;        // per server
    std::vector<std::int64_t> calls_;       // of collectives, per rank and communicator
    std::map<Meeting, std::vector<std::uint32_t>> meetings_;
    HoleHeap queue_;
    std::deque<std::uint32_t> ring_;
    ProgramFlowResult result_;
};

}  // namespace striate
