#include "striate/events/occupancy_curve.hpp"

#include <algorithm>

namespace striate {

void OccupancyCurve::set(Ticks now, const Amounts& amounts) {
    while (since_ < now) {
        Slice& slice = slice_of(since_);
        const Ticks end = std::min(now, (since_ / width_ + 1) * width_);
        slice.covered += end - since_;
        for (std::size_t at = 0; at < now_.size(); ++at) {
            slice.sum[at] += static_cast<double>(now_[at]) * static_cast<double>(end - since_);
            slice.most[at] = std::max(slice.most[at], now_[at]);
        }
        since_ = end;
    }
    now_ = amounts;
}

OccupancyCurve::Slice& OccupancyCurve::slice_of(Ticks time) {
    while (time / width_ >= static_cast<Ticks>(most_slices)) double_width();
    const auto at = static_cast<std::size_t>(time / width_);
    if (at >= slices_.size()) slices_.resize(at + 1);
    return slices_[at];
}

void OccupancyCurve::double_width() {
    for (std::size_t at = 0; at < slices_.size(); ++at) {
        if (at % 2 == 0) {
            slices_[at / 2] = slices_[at];
            continue;
        }
        Slice& into = slices_[at / 2];
        into.covered += slices_[at].covered;
        for (std::size_t amount = 0; amount < into.sum.size(); ++amount) {
            into.sum[amount] += slices_[at].sum[amount];
            into.most[amount] = std::max(into.most[amount], slices_[at].most[amount]);
        }
    }
    slices_.resize((slices_.size() + 1) / 2);
    width_ *= 2;
}

}  // namespace striate
