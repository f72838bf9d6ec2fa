// How packets move through the network engine: service, arrival, credit.
#pragma once

#include "striate/network/network_engine.hpp"

namespace striate {

template <class Queue, class Trace>
inline void NetworkEngine<Queue, Trace>::begin(std::uint32_t stream, std::int64_t bytes, std::uint64_t cookie,
                                               bool header) {
    change([&] { express_.stop(stream, current()); });
    traffic_.add(stream, bytes, cookie, header);
    if (traffic_.streams[stream].active == 1) change([&] { express_.enter(stream, current()); });
    const std::uint32_t slot = traffic_.streams[stream].first_slot;
    if constexpr (enters) return queue_.push({now_, arrival_key | slot});
    wait(slots()[slot]);
    offer(slot);
}

template <class Queue, class Trace>
inline void NetworkEngine<Queue, Trace>::complete(std::uint32_t index) {
    Station& station = stations_[index];
    const bool handed_on = std::exchange(station.handed_on, false);
    if (!handed_on) ++events_;
    const std::uint32_t served = station.serving;
    const Slot& slot = slots()[served];
    if ((slot.flags & Slot::anchor) != 0) attention_ = may_skip_ = true;
    // Only now the served stream queues up again: one whose packet came meanwhile goes first.
    if (slot.waiting > 0 && (slot.flags & (Slot::blocked | Slot::queued)) == 0) add_ready(served);
    if ((slot.flags & Slot::last_hop) != 0) {
        if (slot.left % Express::look_every == 0) look_back(served);
    } else if ((slot.flags & Slot::early) == 0 && !handed_on &&
               ((slot.flags & Slot::flowing) == 0 || express_.was_played(slot))) {
        if (slot.delay == 0 && !loose) {
            arrive(served + 1);
        } else {
            queue_.push({now_ + slot.delay, arrival_key | (served + 1)});
        }
    }
    // The station counts as busy until here, so that what has just become ready waits its turn in the
    // ring.
    if (station.guarded) [[unlikely]] {
        station.serving = paused;
        resumes_.push_back(index);
        attention_ = true;
    } else {
        serve_next(station);
    }
}

template <class Queue, class Trace>
inline void NetworkEngine<Queue, Trace>::serve_next(Station& station) {
    if (station.last_ready == none) {
        station.serving = none;
    } else {
        start(take_ready(station));
    }
}

template <class Queue, class Trace>
inline void NetworkEngine<Queue, Trace>::resume() {
    for (std::size_t next = 0; next < resumes_.size(); ++next) {
        Station& station = stations_[resumes_[next]];
        if (station.serving == paused && !station.closed) serve_next(station);
    }
    resumes_.clear();
}

template <class Queue, class Trace>
inline void NetworkEngine<Queue, Trace>::arrive(std::uint32_t index) {
    ++events_;
    wait(slots()[index]);
    offer(index);
}

template <class Queue, class Trace>
inline void NetworkEngine<Queue, Trace>::offer(std::uint32_t index) {
    const Slot& slot = slots()[index];
    if ((slot.flags & (Slot::blocked | Slot::queued)) != 0) return;
    if (idle(slot.station)) {
        start(index);
    } else {
        add_ready(index);
    }
}

template <class Queue, class Trace>
inline void NetworkEngine<Queue, Trace>::start(std::uint32_t index) {
    start_chain(index);
    if (played_ != none) [[unlikely]]
        note_played(false);
    if constexpr (loose) {
        for (; !starts_.empty(); starts_.pop_back()) queue_.push(starts_.back());
    }
}

template <class Queue, class Trace>
inline void NetworkEngine<Queue, Trace>::start_chain(std::uint32_t index) {
    const std::uint32_t origin = index;
    while (true) {
        if (slots()[index].left == 0) load_run(index);
        Slot& slot = slots()[index];
        Station& station = stations_[slot.station];
        const bool draws = (slot.flags & Slot::drawn) != 0 && draw(index, origin);
        station.serving = index;
        --slot.left;
        if (!draws) {
            --slot.waiting;
            station.waited += moment();
        }
        if (ends_silently(slot, station)) {
            ++events_;
            station.silent_end = now_ + slot.service;
            queue_.push({station.silent_end + slot.delay, arrival_key | (index + 1)});
        } else if constexpr (loose) {
            starts_.push_back({now_ + slot.service, slot.station});
        } else {
            queue_.push({now_ + slot.service, slot.station});
        }
        trace_.served(traffic_, index, now(), now() + slot.service);
        if ((slot.flags & Slot::early) != 0) queue_.push({now_ + slot.delay, arrival_key | (index + 1)});
        if ((slot.flags & Slot::flowing) != 0) {
            express_.flow(slot, current());
        } else if ((slot.flags & Slot::last_hop) == 0) {
            slot.used += slot.service;
            ++slot.in_flight;
            if (slot.used >= station.window && (slot.flags & Slot::open) == 0) slot.flags |= Slot::blocked;
        }
        if (draws) {
            if ((slot.flags & Slot::blocked) == 0) add_ready(index);
            return;
        }
        if ((slot.flags & Slot::first_hop) != 0) return release_next(index, origin);

        Slot& before = slots()[--index];
        before.used -= slot.previous_service;
        --before.in_flight;
        if ((before.flags & Slot::blocked) == 0) return;
        const Station& upstream = stations_[before.station];
        if (before.in_flight > 0 && before.used >= upstream.window) return;
        before.flags &= ~static_cast<std::uint32_t>(Slot::blocked);
        if ((before.flags & Slot::drawn) != 0) regain(before);
        if (before.waiting == 0) return;
        if (!idle(before.station)) return add_ready(index);
    }
}

template <class Queue, class Trace>
inline bool NetworkEngine<Queue, Trace>::draw(std::uint32_t index, std::uint32_t origin) {
    const bool outdone = slots()[index].left % Express::look_every == 0 && express_.outdone(index, origin);
    if (!outdone && express_.draw(index, now_)) return true;
    if (outdone || slots()[index].left < Express::least_left) {
        change([&] { express_.release(index); });
    } else {
        express_.catch_up_draws(index);
        played_ = index;
    }
    return false;
}

template <class Queue, class Trace>
inline void NetworkEngine<Queue, Trace>::load_run(std::uint32_t index) {
    if ((slots()[index].flags & Slot::flowing) != 0)
        change([&] { express_.stop_flow(slots()[index].stream, current()); });
    traffic_.load_run(index);
    warp_.structure_changed();
    if (silent_ && slots()[index].left >= Express::least_left) end_silence();
    const Slot& slot = slots()[index];
    const bool may_anchor = fast_ && (slot.flags & Slot::last_hop) != 0 && slot.left >= Warp::long_run;
    if (may_anchor) warp_.add_candidate(traffic_.slowest(slot.stream));
}

template <class Queue, class Trace>
inline void NetworkEngine<Queue, Trace>::release_next(std::uint32_t index, std::uint32_t origin) {
    Slot& slot = slots()[index];
    if (!enters) ++events_;  // the packet's arrival here, which needed no queue
    if (slot.left == 0 && traffic_.runs[slot.run].ends) {
        traffic_.message_sent(slot);
        const std::uint64_t cookie = traffic_.messages[traffic_.runs[slot.run].message].cookie;
        if constexpr (enters) return listener_.on_sent(cookie);
        note({cookie, false});
    } else if (enters) {
        queue_.push({now_, arrival_key | index});
    } else {
        wait(slot);
        if ((slot.flags & (Slot::blocked | Slot::queued)) == 0) add_ready(index);
        if (played_ != none) [[unlikely]] {
            note_played(true);
        } else if (slot.left % Express::look_every == 0 && origin != index && fast_) {
            if (express_.try_draw(origin, index)) warp_.structure_changed();
        }
    }
}

template <class Queue, class Trace>
inline void NetworkEngine<Queue, Trace>::look_back(std::uint32_t index) {
    const Slot& slot = slots()[index];
    if (slot.left == 0) {
        finish(slot);
    } else if (fast_ && express_.try_flow(index, now_)) {
        warp_.structure_changed();
    }
}

template <class Queue, class Trace>
inline void NetworkEngine<Queue, Trace>::finish(const Slot& slot) {
    const Run& run = traffic_.runs[slot.run];
    if (!run.ends) return;
    const std::uint64_t cookie = traffic_.messages[run.message].cookie;
    if (!enters) note({cookie, true});
    traffic_.message_delivered(slot);
    if (fast_ && traffic_.streams[slot.stream].active == 0) express_.leave(slot.stream);
    if constexpr (enters) listener_.on_delivered(cookie);
}

}  // namespace striate
