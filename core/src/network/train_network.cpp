#include "striate/network/train_network.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>

#include "striate/events/clock_sums.hpp"

namespace striate {

TrainNetwork::TrainNetwork(Stations& stations, NetworkListener& listener)
    : stations_(stations), listener_(listener), odd_(stations.settings().rounding), served_(stations.size()) {
    std::map<std::tuple<double, Ticks, ComponentKind>, std::uint32_t> known;
    for (std::uint32_t index = 0; index < stations.size(); ++index) {
        const Station& station = stations[index];
        const auto [model, added] = known.try_emplace({station.bandwidth, station.latency, station.kind},
                                                      static_cast<std::uint32_t>(models_.size()));
        if (added) models_.push_back({station.bandwidth, station.full, station.latency, station.kind});
        served_[index].model = model->second;
    }
}

std::vector<double> TrainNetwork::waited() const {
    std::vector<double> seconds;
    for (const Served& served : served_) seconds.push_back(served.waited);
    return seconds;
}

void TrainNetwork::begin(std::uint32_t source, const Departure& departure) {
    if (source >= stations_.nics() || departure.target >= stations_.nics())
        throw std::invalid_argument("an unknown interface");
    if (departure.bytes < 0) throw std::invalid_argument("a message of negative size");
    if (closed(source)) return door_of(source)->departing.push_back(departure);
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(messages_.size()));
        messages_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    ++active_;
    Message& message = messages_[index];
    const std::int64_t full = stations_.settings().packet_bytes;
    const std::int64_t packets = departure.bytes / full + 1;
    message.cookie = departure.cookie;
    message.source = source;
    message.target = departure.target;
    message.continues = departure.header == 0;
    message.told = false;
    message.unsent = departure.bytes;
    message.train_packets = packets / most_trains + 1;
    stations_.find_route(source, departure.target, route_);
    if (!route_.analytical && departure.bytes > message.train_packets * full) message.route = route_.stations;
    send_train(index, route_.stations, departure.header);
}

// ---- trains

// More of a message leaves when what went before it has stopped waiting: a stream has little under route.
void TrainNetwork::send_train(std::uint32_t index, std::span<const std::uint32_t> route,
                              std::int64_t header) {
    const std::int64_t full = stations_.settings().packet_bytes;
    Message& message = messages_[index];
    const std::int64_t most = route_.analytical ? message.unsent : message.train_packets * full;
    const std::int64_t bytes = std::min(message.unsent, most);
    const std::int64_t packets = bytes == 0 ? 1 : (bytes - 1) / full + 1;
    const std::int64_t last = bytes - (packets - 1) * full + (packets == 1 ? header : 0);
    const Train train{packets, std::min(bytes, full) + header, last, bytes + header};
    message.unsent -= bytes;
    const Passage passage = route_.analytical ? pass_analytically(train) : pass(route, train);
    const bool paced = message.unsent > 0 || message.continues;
    const Ticks sent = passage.sent + (paced ? passage.waited : 0);
    foresee(sent, index, 0);
    if (message.unsent == 0) foresee(std::max(passage.arrived, sent), index, of_arrival);
}

// All stations of a route are fetched together.
void TrainNetwork::fetch(std::span<const std::uint32_t> route) const {
    for (const std::uint32_t station : route) __builtin_prefetch(&served_[station], 1);
}

TrainNetwork::Passage TrainNetwork::pass_analytically(const Train& train) {
    const Ticks work = service_ticks(train.bytes, route_.bottleneck, stations_.settings().rounding);
    const auto [begun, over] = serve(route_.stations.front(), now_, work, train);
    return {begun, after(over, route_.latency), 0};
}

TrainNetwork::Passage TrainNetwork::pass(std::span<const std::uint32_t> route, const Train& train) {
    const std::int64_t full = stations_.settings().packet_bytes;
    Passage passage{now_, now_, 0};
    Ticks first = now_, last = now_;  // when the first and the last packet come
    fetch(route);
    for (std::size_t hop = 0; hop < route.size(); ++hop) {
        const Ticks own = service(route, hop, train.first);
        const Ticks final = train.packets > 1 ? service(route, hop, train.last) : own;
        Ticks all = own;
        if (train.packets > 1) {
            all = after(after(all, final), times(train.packets - 2, service(route, hop, full)));
        }
        const auto [begun, over] = serve(route[hop], first, all, train);
        if (hop == 0) {
            passage.sent = over - final;
        } else {
            passage.waited += begun - first;
        }
        const Model& station = model_of(route[hop]);
        const Ticks ends = std::max(over, after(last, final));
        if (station.kind != ComponentKind::cut_through || hop + 1 == route.size()) {
            first = after(after(begun, own), station.latency);
            last = after(ends, station.latency);
        } else {
            const Ticks head = service(route, hop, std::min(train.first, header_bytes));
            first = after(begun, std::max(head, own - service(route, hop + 1, train.first)));
            last = after(ends - final, std::max(head, final - service(route, hop + 1, train.last)));
        }
    }
    passage.arrived = last;
    return passage;
}

void TrainNetwork::train_left(std::uint32_t index) {
    if (messages_[index].unsent > 0) {
        const std::uint32_t source = messages_[index].source;
        if (closed(source)) return door_of(source)->halted.push_back(index);
        route_.analytical = false;
        return send_train(index, messages_[index].route, 0);
    }
    if (messages_[index].told || waits_at_door(messages_[index])) return;  // told when it is let in
    messages_[index].told = true;
    listener_.on_sent(messages_[index].cookie);
}

void TrainNetwork::arrive(std::uint32_t index) {
    if (closed(messages_[index].target)) return queue_up(*door_of(messages_[index].target), index);
    let_in(index);
}

void TrainNetwork::let_in(std::uint32_t index) {
    const std::uint64_t cookie = messages_[index].cookie;
    const bool told = messages_[index].told;
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
    doors_.emplace_back().interface = interface;
}

void TrainNetwork::set_open(std::uint32_t interface, bool open) {
    Door* door = door_of(interface);
    if (door == nullptr) return;
    if (door->closed && open && !(door->before.empty() && door->departing.empty() && door->halted.empty()))
        opened_.push_back(door_number_[interface]);
    door->closed = !open;
}

// One after the other, for each may close the door for the next.
void TrainNetwork::pass_doors() {
    for (std::size_t next = 0; next < opened_.size(); ++next) {
        const std::uint32_t number = opened_[next];
        while (!doors_[number].closed && !doors_[number].departing.empty()) {
            const Departure departure = doors_[number].departing.front();
            doors_[number].departing.pop_front();
            begin(doors_[number].interface, departure);
        }
        for (; !doors_[number].closed && !doors_[number].halted.empty(); doors_[number].halted.pop_front())
            train_left(doors_[number].halted.front());
        while (!doors_[number].closed && !doors_[number].before.empty()) let_in(next_at(doors_[number]));
    }
    opened_.clear();
}

bool TrainNetwork::waits_at_door(const Message& message) {
    if (!closed(message.target)) return false;
    const auto& before = door_of(message.target)->before;
    return std::any_of(before.begin(), before.end(),
                       [&](const Sender& sender) { return sender.source == message.source; });
}

void TrainNetwork::queue_up(Door& door, std::uint32_t index) {
    const std::uint32_t source = messages_[index].source;
    messages_[index].next_at_door = none;
    const auto known = std::find_if(door.before.begin(), door.before.end(),
                                    [&](const Sender& sender) { return sender.source == source; });
    if (known == door.before.end()) return door.before.push_back({source, index, index});
    messages_[known->last].next_at_door = index;
    known->last = index;
}

// A sender with more to come queues up again at once, as packets do: it goes before one that comes later.
std::uint32_t TrainNetwork::next_at(Door& door) const {
    Sender sender = door.before.front();
    door.before.pop_front();
    const std::uint32_t message = sender.first;
    sender.first = messages_[message].next_at_door;
    if (sender.first != none) door.before.push_back(sender);
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
            (event.key & of_arrival) != 0 ? arrive(index) : train_left(index);
        } else {
            listener_.on_timer(timers_.pop().key);
        }
        if ((++events_ & 0xffff) == 0) poll();
    }
    if (active_ != 0) throw std::logic_error("after the run messages are under route");
    for (const Served& served : served_) totals_.push_back(served.total);
}

}  // namespace striate
