#include "striate/network.hpp"

#include "striate/flow_network.hpp"
#include "striate/hole_heap.hpp"
#include "striate/ladder_queue.hpp"
#include "striate/network_engine.hpp"
#include "striate/oracle_queue.hpp"
#include "striate/timed_heap.hpp"

namespace striate {

std::unique_ptr<Network> make_network(Stations& stations, NetworkListener& listener,
                                      const RunOptions& options) {
    constexpr std::uint32_t few_nics = 32;  // a hole heap is quicker while few events are pending
    if (options.fidelity == Fidelity::flows) return std::make_unique<FlowNetwork>(stations, listener);
    QueueKind queue = options.queue;
    if (queue == QueueKind::automatic)
        queue = stations.nics() <= few_nics ? QueueKind::hole_heap : QueueKind::ladder;
    switch (queue) {
        case QueueKind::timed_heap:
            return std::make_unique<NetworkEngine<TimedHeap>>(stations, listener, false);
        case QueueKind::oracle:
            return std::make_unique<NetworkEngine<OracleQueue>>(stations, listener, options.warp);
        case QueueKind::ladder:
            return std::make_unique<NetworkEngine<LadderQueue>>(stations, listener, options.warp);
        default:
            return std::make_unique<NetworkEngine<HoleHeap>>(stations, listener, options.warp);
    }
}

}  // namespace striate
