#include "striate/network/network.hpp"

#include <type_traits>

#include "striate/events/hole_heap.hpp"
#include "striate/events/ladder_queue.hpp"
#include "striate/events/oracle_queue.hpp"
#include "striate/events/timed_heap.hpp"
#include "striate/network/flow_network.hpp"
#include "striate/network/network_recorder.hpp"
#include "striate/network/packet_motion.hpp"
#include "striate/network/train_network.hpp"

namespace striate {

namespace {

template <class Queue>
std::unique_ptr<Network> make_engine(Stations& stations, NetworkListener& listener,
                                     const RunOptions& options) {
    const bool warp = options.warp && !std::is_base_of_v<TimedHeap, Queue>;
    if (options.timeline == nullptr) {
        return std::make_unique<NetworkEngine<Queue>>(stations, listener, warp);
    }
    return std::make_unique<NetworkEngine<Queue, NetworkRecorder>>(
        stations, listener, warp, NetworkRecorder(*options.timeline, stations));
}

}  // namespace

std::unique_ptr<Network> make_network(Stations& stations, NetworkListener& listener,
                                      const RunOptions& options) {
    constexpr std::uint32_t few_nics = 32;  // a hole heap is quicker while few events are pending
    if (options.fidelity == Fidelity::flows) return std::make_unique<FlowNetwork>(stations, listener);
    if (options.fidelity == Fidelity::trains) return std::make_unique<TrainNetwork>(stations, listener);
    QueueKind queue = options.queue;
    if (queue == QueueKind::automatic)
        queue = stations.nics() <= few_nics ? QueueKind::hole_heap : QueueKind::ladder;
    switch (queue) {
        case QueueKind::timed_heap:
            return make_engine<TimedHeap>(stations, listener, options);
        case QueueKind::entry_heap:
            return make_engine<EntryHeap>(stations, listener, options);
        case QueueKind::oracle:
            return make_engine<OracleQueue>(stations, listener, options);
        case QueueKind::ladder:
            return make_engine<LadderQueue>(stations, listener, options);
        default:
            return make_engine<HoleHeap>(stations, listener, options);
    }
}

}  // namespace striate
