// Max-min fair rates of flows that share stations, kept up to date as flows come and go.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "striate/network/stations.hpp"

namespace striate {

// Max-min fair: no rate can rise without lowering one that is no higher. All rates rise together from zero; a
// flow stops when it meets its own cap, or when a station it passes is full, which then holds it at that
// station's level.
//
// A change at one station can move only what is held at higher levels, so a solution is mended from below:
// the stations that changed are *soiled* - what they hold is let go, their level is sought anew - and taken
// in order of level. One that holds a flow whose rate has changed is soiled in turn, and so is one that a
// flow let go might fill before it is stopped elsewhere. All others keep their level, and are not even looked
// at.
class FairShares {
  public:
    // A rate that would change by no more than this part stays as it is, so that a change dies out on its way
    // through the network. The least value hides only what comes from the order of sums.
    static constexpr double rounding = 1e-13;

    explicit FairShares(const std::vector<double>& capacities, double tolerance = rounding);

    // Numbers of flows are the caller's. `cap` is at most the capacity of the narrowest station passed.
    void join(std::uint32_t flow, std::span<const std::uint32_t> stations, double cap);
    void leave(std::uint32_t flow);

    // Finds the rates that hold now; what joined and left since the last call counts at once.
    void solve();

    [[nodiscard]] bool up_to_date() const { return pending_.empty() && open_.empty(); }
    [[nodiscard]] double rate(std::uint32_t flow) const { return limits_[flow]; }
    // The station that holds a flow, none: its own cap.
    [[nodiscard]] std::uint32_t holder(std::uint32_t flow) const { return holds_[flow].holder; }
    [[nodiscard]] const std::vector<std::uint32_t>& flows_at(std::uint32_t station) const {
        return shares_[station].flows;
    }

    // Of the last solution: stations that may hold other flows, or the same at another rate, and flows that
    // have come to their cap.
    [[nodiscard]] const std::vector<std::uint32_t>& changed_stations() const { return soiled_; }
    [[nodiscard]] const std::vector<std::uint32_t>& freed_flows() const { return freed_; }

  private:
    static constexpr double infinite = std::numeric_limits<double>::infinity();
    enum class State : std::uint8_t { clean, soiled, filled };

    struct alignas(64) Share {
        double capacity = 0;
        double level = infinite;  // at which it is full
        double key = infinite;    // while soiled: its level as far as known, never too high
        std::vector<std::uint32_t> flows;
        std::uint32_t fresh = 0;  // open flows that have not spread
        State state = State::clean;
        bool relevant = false;  // might be full
        bool stale = false;     // its level may lie above `key`
    };
    // What may arrive at a station at most: from each station before it no more than that one lets through.
    struct Pressure {
        double possible = 0;
        double usual_caps = 0;  // of flows that come from `usual_before`; others are in `links_`
        std::uint32_t usual_before = none;
    };
    struct Hold {
        double rate = 0;  // while open: the rate before the change
        std::uint32_t holder = none;
        bool open = false;    // let go, and not yet stopped elsewhere
        bool spread = false;  // has soiled all it passes
    };
    struct Path {
        double cap = 0;
        bool capped = true;                           // no relevant station is as narrow as the cap
        std::vector<std::uint32_t> stations, places;  // places: in each station's list of flows
        std::vector<std::uint32_t> ties;              // the relevant stations, if there are many
    };
    struct FewTies {
        std::uint32_t count = 0;
        std::array<std::uint32_t, 3> stations{};
    };

    [[nodiscard]] std::span<const std::uint32_t> ties(std::uint32_t flow) const {
        const FewTies& few = few_ties_[flow];
        if (few.count > few.stations.size()) return paths_[flow].ties;
        return {few.stations.data(), few.count};
    }
    void press(std::uint32_t before, std::uint32_t station, double change);
    void find_ties(std::uint32_t flow);
    void soil(std::uint32_t station);
    void soil_all();
    void let_go(std::uint32_t station);
    void close(std::uint32_t flow);
    void lower(std::uint32_t station, double key);
    void seek(std::uint32_t station, double guess);
    [[nodiscard]] double level_of(const Share& share, double guess) const;
    void fill(std::uint32_t station);
    void finish();

    double tolerance_;
    std::vector<Share> shares_;
    std::vector<Pressure> pressures_;
    std::vector<double> limits_;  // per flow: its rate; while open, its cap
    std::vector<Hold> holds_;
    std::vector<FewTies> few_ties_;
    std::vector<Path> paths_;
    std::unordered_map<std::uint64_t, double> links_;  // by two neighbours: the caps of flows between them
    std::vector<std::uint32_t> pending_;               // stations where a flow has joined or left
    std::vector<std::uint32_t> soiled_, to_soil_, open_, freed_;
    std::vector<std::pair<std::uint32_t, double>> to_seek_;  // soiled stations, and their old levels
    std::vector<std::pair<double, std::uint32_t>> keys_;     // a heap of soiled stations
    double now_ = 0;                                         // the level reached while solving
};

}  // namespace striate
