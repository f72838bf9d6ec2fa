#include "striate/network/train_network.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "striate/events/clock_sums.hpp"

namespace striate {

TrainNetwork::TrainNetwork(Stations& stations, NetworkListener& listener)
    : stations_(stations), listener_(listener), odd_(stations.settings().rounding), served_(stations.size()) {
    std::map<std::tuple<double, Ticks, ComponentKind>, std::uint32_t> known;
    for (std::uint32_t index = 0; index < stations.size(); ++index) {
        const Station& station = stations[index];
        const auto [model, added] = known.try_emplace({station.bandwidth, station.latency, station.kind},
                                                      static_cast<std::uint32_t>(models_.size()));
        const Ticks full = std::max<Ticks>(station.full, 1);
        const std::int64_t room = (station.window - 1) / full + 1;
        if (added) models_.push_back({station.bandwidth, station.full, station.latency, room, station.kind});
        served_[index].model = model->second;
    }
}

std::vector<double> TrainNetwork::waited() const {
    std::vector<double> seconds;
    for (const Served& served : served_) seconds.push_back(served.waited);
    return seconds;
}

void TrainNetwork::begin(std::uint32_t source, std::uint32_t target, std::int64_t bytes, std::uint64_t cookie,
                         bool continues) {
    if (source >= stations_.nics() || target >= stations_.nics())
        throw std::invalid_argument("an unknown interface");
    if (bytes < 0) throw std::invalid_argument("a message of negative size");
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(messages_.size()));
        messages_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    ++active_;
    Message& message = messages_[index];
    message.cookie = cookie;
    message.source = source;
    message.target = target;
    message.continues = continues;
    message.begun = message.told = message.early = message.leads = false;
    message.successor = none;
    message.outside = 0;
    message.unsent = bytes;
    const std::int64_t full = stations_.settings().packet_bytes;
    message.packets = bytes == 0 ? 1 : (bytes - 1) / full + 1;
    message.train_packets = (bytes / full + 1) / most_trains + 1;
    if (waits_at(source)) return queue_up(*door_of(source), index);
    if (!sending_.empty()) {
        const auto last = sending_.find(stream_of(message));
        if (last != sending_.end())
            return void(messages_[std::exchange(last->second, index)].successor = index);
    }
    set_out(index);
}

// The first train of a message leaves, or, at a door that has opened, the next one.
void TrainNetwork::set_out(std::uint32_t index) {
    Message& message = messages_[index];
    if (std::exchange(message.begun, true)) {
        route_.analytical = false;
        return send_train(index, message.route, 0);
    }
    message.since = now_;
    if (Door* door = door_of(message.target)) door->coming[message.source] += message.packets;
    stations_.find_route(message.source, message.target, route_);
    const std::int64_t one_train = message.train_packets * stations_.settings().packet_bytes;
    if (!route_.analytical && message.unsent > one_train) message.route = route_.stations;
    send_train(index, route_.stations, message.continues ? 0 : header_bytes);
}

// ---- trains

// More of a message leaves when what went before it has stopped waiting: a stream has little in flight.
void TrainNetwork::send_train(std::uint32_t index, std::span<const std::uint32_t> route,
                              std::int64_t header) {
    const std::int64_t full = stations_.settings().packet_bytes;
    Message& message = messages_[index];
    const auto bytes =
        std::min(message.unsent, route_.analytical ? message.unsent : message.train_packets * full);
    const std::int64_t packets = bytes == 0 ? 1 : (bytes - 1) / full + 1;
    const std::int64_t last = bytes - (packets - 1) * full + (packets == 1 ? header : 0);
    const Train train{packets, std::min(bytes, full) + header, last, bytes + header};
    message.unsent -= bytes;
    if (route_.analytical) return foresee_end(index, pass_analytically(train));
    const Span span = serve(route[0], now_, work(route, 0, train), train);
    if (span.begun == now_) return start(index, route, train, span);
    if (route.data() != message.route.data()) message.route.assign(route.begin(), route.end());
    message.next = train;
    message.span = span;
    foresee(span.begun, index, of_start);
}

void TrainNetwork::come(std::uint32_t index) {
    const Message& message = messages_[index];
    if (index < walks_.size() && walks_[index].hop > 0) return step(index);
    start(index, message.route, message.next, message.span);
}

void TrainNetwork::foresee_end(std::uint32_t index, const Passage& passage) {
    Message& message = messages_[index];
    message.room = passage.all_room;
    const bool paced = message.unsent > 0 || message.continues;
    const Ticks sent = passage.sent + (paced ? passage.waited : 0);
    foresee(sent, index, of_leaving);
    if (message.unsent == 0) return foresee(std::max(passage.arrived, sent), index, of_arrival);
    if (passage.waited > 0 && !waits_at(message.source)) message.outside = passage.room;
    if (passage.room > 1 && !message.continues && !message.early) tell_early(index, passage);
}

// Once the rest of a message has room before the station that holds it up, its sender need not wait any more;
// packets come there no faster than the slowest station until there lets them.
void TrainNetwork::tell_early(std::uint32_t index, const Passage& passage) {
    Message& message = messages_[index];
    const std::int64_t rest = (message.unsent - 1) / stations_.settings().packet_bytes + 1;
    if (rest >= passage.room || door_of(message.source) != nullptr || door_of(message.target) != nullptr)
        return;
    const Ticks last = after(message.since, times(message.packets - 1, passage.pace));
    const Ticks time = std::max(passage.sent, last);
    if (time >= passage.sent + passage.waited) return;  // the next train leaves before that
    message.early = true;
    foresee(time, index, of_notice);
}

void TrainNetwork::notify(std::uint32_t index) {
    messages_[index].leads = true;
    sending_.try_emplace(stream_of(messages_[index]), index);
    tell(index);
}

void TrainNetwork::tell(std::uint32_t index) {
    if (!std::exchange(messages_[index].told, true)) listener_.on_sent(messages_[index].cookie);
}

// All stations of a route are fetched together.
void TrainNetwork::fetch(std::span<const std::uint32_t> route) const {
    for (const std::uint32_t station : route) __builtin_prefetch(&served_[station], 1);
}

TrainNetwork::Passage TrainNetwork::pass_analytically(const Train& train) {
    const Ticks work = service_ticks(train.bytes, route_.bottleneck, stations_.settings().rounding);
    const auto [begun, over] = serve(route_.stations.front(), now_, work, train);
    return {.sent = begun,
            .arrived = after(over, route_.latency),
            .waited = 0,
            .all_room = std::numeric_limits<std::int64_t>::max()};
}

Ticks TrainNetwork::work(std::span<const std::uint32_t> route, std::size_t hop, const Train& train) {
    const Ticks first = service(route, hop, train.first);
    if (train.packets == 1) return first;
    const Ticks between = times(train.packets - 2, service(route, hop, stations_.settings().packet_bytes));
    return after(after(first, service(route, hop, train.last)), between);
}

// It takes the station that it has come to, for this span of time.
void TrainNetwork::enter(Walk& walk, std::span<const std::uint32_t> route, const Train& train,
                         const Span& span) {
    Passage& passage = walk.passage;
    const std::size_t hop = walk.hop++;
    const bool ends_here = walk.hop == route.size();
    const Ticks own = service(route, hop, train.first);
    const Ticks final = train.packets > 1 ? service(route, hop, train.last) : own;
    if (hop == 0)
        passage.sent = span.over - final;
    else
        passage.waited += span.begun - walk.first;
    if (span.begun - walk.first > walk.longest_wait) {
        walk.longest_wait = span.begun - walk.first;
        passage.room = passage.all_room;
        passage.pace = walk.pace;
    }
    const Model& station = model_of(route[hop]);
    if (!ends_here) passage.all_room += station.room;
    walk.pace = std::max(walk.pace, own);
    const Ticks ends = std::max(span.over, after(walk.last, final));
    if (station.kind != ComponentKind::cut_through || ends_here) {
        walk.first = after(after(span.begun, own), station.latency);
        walk.last = after(ends, station.latency);
    } else {
        const Ticks head = service(route, hop, std::min(train.first, header_bytes));
        walk.first = after(span.begun, std::max(head, own - service(route, hop + 1, train.first)));
        walk.last = after(ends - final, std::max(head, final - service(route, hop + 1, train.last)));
    }
    passage.arrived = walk.last;
}

// Now it starts at its first station, where it has this span of time.
void TrainNetwork::start(std::uint32_t index, std::span<const std::uint32_t> route, const Train& train,
                         const Span& span) {
    fetch(route);
    Walk walk{.passage = {now_, now_, 0}, .first = now_, .last = now_};
    enter(walk, route, train, span);
    if (keeps_order(messages_[index]) && walk.hop < route.size())
        return start_alone(index, route, train, walk);
    while (walk.hop < route.size()) enter_next(walk, route, train);
    foresee_end(index, walk.passage);
}

// ---- packets that keep their order

// It has started at its first station. The next one of its stream leaves when this one has waited, as far as
// can be told now.
void TrainNetwork::start_alone(std::uint32_t index, std::span<const std::uint32_t> route, const Train& train,
                               Walk walk) {
    Message& message = messages_[index];
    if (route.data() != message.route.data()) message.route.assign(route.begin(), route.end());
    message.next = train;
    message.room = walk.passage.all_room;
    for (std::size_t hop = walk.hop; hop + 1 < route.size(); ++hop) message.room += model_of(route[hop]).room;
    Ticks& sent = walk.passage.sent;
    if (message.continues) sent = after(sent, expected_wait(route, train, walk));
    if (walks_.size() < messages_.size()) walks_.resize(messages_.size());
    walks_[index] = walk;
    foresee(sent, index, of_leaving);
    foresee(walk.first, index, of_start);
}

// It has come to its next station.
void TrainNetwork::step(std::uint32_t index) {
    const Message& message = messages_[index];
    Walk& walk = walks_[index];
    enter_next(walk, message.route, message.next);
    if (walk.hop < message.route.size()) return foresee(walk.first, index, of_start);
    walk.hop = 0;
    foresee(std::max(walk.passage.arrived, walk.passage.sent), index, of_arrival);
}

Ticks TrainNetwork::expected_wait(std::span<const std::uint32_t> route, const Train& train,
                                  const Walk& walk) {
    Ticks ready = walk.first, waited = 0;
    for (std::size_t hop = walk.hop; hop < route.size(); ++hop) {
        const Ticks begun = served_[route[hop]].clock.begin(ready);
        waited += begun - ready;
        ready = after(after(begun, service(route, hop, train.first)), model_of(route[hop]).latency);
    }
    return waited;
}

// ---- what becomes of messages

void TrainNetwork::train_left(std::uint32_t index) {
    if (messages_[index].unsent > 0) {
        const std::uint32_t source = messages_[index].source;
        const bool outside = messages_[index].outside > 0;
        messages_[index].outside -= messages_[index].train_packets;
        return waits_at(source) && !outside ? queue_up(*door_of(source), index) : set_out(index);
    }
    if (!window_full(messages_[index])) tell(index);
    if (messages_[index].leads) last_left(index);
}

// A message that was told early has left: the next one of its stream may.
void TrainNetwork::last_left(std::uint32_t index) {
    const std::uint32_t next = messages_[index].successor;
    if (next == none) {
        sending_.erase(stream_of(messages_[index]));
    } else {
        messages_[next].leads = true;
        set_out(next);
    }
}

void TrainNetwork::arrive(std::uint32_t index) {
    if (!waits_at(messages_[index].target)) return let_in(index);
    queue_up(*door_of(messages_[index].target), index);
    if (!window_full(messages_[index])) tell(index);
}

void TrainNetwork::let_in(std::uint32_t index) {
    const std::uint64_t cookie = messages_[index].cookie;
    const bool told = messages_[index].told;
    if (Door* door = door_of(messages_[index].target))
        door->coming[messages_[index].source] -= messages_[index].packets;
    free_.push_back(index);
    --active_;
    if (!told) listener_.on_sent(cookie);
    listener_.on_delivered(cookie);
}

// ---- doors

void TrainNetwork::guard(std::uint32_t interface) {
    if (door_number_.empty()) door_number_.assign(stations_.nics(), none);
    if (door_number_[interface] != none) return;
    door_number_[interface] = static_cast<std::uint32_t>(doors_.size());
    doors_.emplace_back();
}

void TrainNetwork::set_open(std::uint32_t interface, bool open) {
    Door* door = door_of(interface);
    if (door == nullptr) return;
    if (door->closed && open && !door->streams.empty()) opened_.push_back(door_number_[interface]);
    door->closed = !open;
}

// One after the other, for each may close the door for the next.
void TrainNetwork::pass_doors() {
    for (std::size_t next = 0; next < opened_.size(); ++next) {
        const std::uint32_t number = opened_[next];
        while (!doors_[number].closed && !doors_[number].streams.empty()) {
            const std::uint32_t message = next_at(doors_[number]);
            if (door_number_[messages_[message].source] == number) {
                set_out(message);
            } else {
                const std::uint32_t successor = messages_[message].next_at_door;
                let_in(message);
                tell_next(successor);
            }
        }
    }
    opened_.clear();
}

// Of a stream that waits at a door, one has been let in: the sender of the rest may send more.
void TrainNetwork::tell_next(std::uint32_t index) {
    while (index != none && messages_[index].told) index = messages_[index].next_at_door;
    if (index != none) tell(index);
}

bool TrainNetwork::window_full(const Message& message) {
    Door* door = door_of(message.target);
    if (door == nullptr || !door->closed) return false;
    return door->coming[message.source] > std::max(message.room, 2 * message.packets);
}

void TrainNetwork::queue_up(Door& door, std::uint32_t index) {
    Message& message = messages_[index];
    message.next_at_door = none;
    const auto known = std::find_if(door.streams.begin(), door.streams.end(), [&](const Waiting& stream) {
        return stream.source == message.source && stream.target == message.target;
    });
    if (known == door.streams.end())
        return door.streams.push_back({message.source, message.target, index, index});
    messages_[known->last].next_at_door = index;
    known->last = index;
}

// A stream with more to come queues up again at once, as packets do: it goes before one that comes later.
std::uint32_t TrainNetwork::next_at(Door& door) const {
    Waiting stream = door.streams.front();
    door.streams.pop_front();
    const std::uint32_t message = stream.first;
    stream.first = messages_[message].next_at_door;
    if (stream.first != none) door.streams.push_back(stream);
    return message;
}

// ---- time

void TrainNetwork::set_timer(Ticks time, std::uint64_t cookie) {
    if (time < now_) throw std::invalid_argument("a timer in the past");
    timers_.push({time, cookie});
}

void TrainNetwork::run(const std::function<void()>& poll) {
    constexpr Ticks never = std::numeric_limits<Ticks>::max();
    while (true) {
        if (!opened_.empty()) pass_doors();
        const Ticks message = queue_.empty() ? never : queue_.top().time;
        const Ticks timer = timers_.empty() ? never : timers_.top().time;
        if (message == never && timer == never) break;
        now_ = std::min(message, timer);
        expect_on_clock(now_);
        if (message <= timer) {
            const Event event = queue_.pop();
            const auto index = static_cast<std::uint32_t>(event.key);
            switch (event.key & kinds) {
                case of_leaving:
                    train_left(index);
                    break;
                case of_start:
                    come(index);
                    break;
                case of_notice:
                    notify(index);
                    break;
                default:
                    arrive(index);
            }
        } else {
            listener_.on_timer(timers_.pop().key);
        }
        if ((++events_ & 0xffff) == 0) poll();
    }
    if (active_ != 0) throw std::logic_error("after the run messages are in flight");
    for (const Served& served : served_) totals_.push_back(served.total);
}

}  // namespace striate
