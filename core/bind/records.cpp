// Python's door to the kernels over records; positions are int32 or int64, one kind in a call.
#include "striate/records/records.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "columns.hpp"
#include "engines.hpp"
#include "striate/records/buckets.hpp"

namespace striate::bind {

namespace {

template <class T>
std::span<const T> borrow_or_nothing(const std::optional<Column<T>>& column) {
    return column ? borrow(*column) : std::span<const T>{};
}

template <class Position>
void mark(Column<Position> indices, std::int64_t first, MutableColumn<std::uint64_t> bits) {
    nb::gil_scoped_release release;
    mark_records<Position>(borrow(indices), first, borrow(bits));
}

Owned<std::int64_t> count_between(Column<std::uint64_t> bits, Column<std::int64_t> edges) {
    std::vector<std::int64_t> counts;
    {
        nb::gil_scoped_release release;
        count_marked(borrow(bits), borrow(edges), counts);
    }
    return hand_over(std::move(counts));
}

Owned<std::int64_t> unmarked(Column<std::uint64_t> bits, std::int64_t first, std::int64_t end) {
    std::vector<std::int64_t> found;
    {
        nb::gil_scoped_release release;
        unmarked_records(borrow(bits), first, end, found);
    }
    return hand_over(std::move(found));
}

template <class Position>
Owned<Position> resolve(Column<Position> indices, std::int64_t first, MutableColumn<std::uint64_t> live) {
    LargeVector<Position> kept;
    {
        nb::gil_scoped_release release;
        resolve_records<Position>(borrow(indices), first, borrow(live), kept);
    }
    return hand_over(std::move(kept));
}

template <class Position>
Owned<Position> marked(Column<Position> indices, Column<std::uint64_t> bits) {
    std::vector<Position> found;
    {
        nb::gil_scoped_release release;
        found = marked_entries<Position>(borrow(indices), borrow(bits));
    }
    return hand_over(std::move(found));
}

template <class Position>
std::pair<Owned<Position>, Owned<Position>> splice(Column<Position> order, Column<Position> place,
                                                   Column<Position> dropped, Column<Position> added,
                                                   Column<Position> added_place) {
    LargeVector<Position> entries, places;
    {
        nb::gil_scoped_release release;
        splice_moves<Position>({borrow(order), borrow(place)}, borrow(dropped),
                               {borrow(added), borrow(added_place)}, entries, places);
    }
    return {hand_over(std::move(entries)), hand_over(std::move(places))};
}

template <class Position>
using BucketColumns = std::tuple<Owned<Position>, Owned<Position>, Owned<std::int64_t>>;

template <class Position>
BucketColumns<Position> hand_over_buckets(Buckets<Position>&& result) {
    return {hand_over(std::move(result.order)), hand_over(std::move(result.place)),
            hand_over(std::move(result.starts))};
}

template <class Position>
BucketColumns<Position> resolve_and_bucket(Column<Position> indices, MutableColumn<std::uint64_t> live,
                                           bool each_once, std::int64_t records, std::int64_t domain,
                                           std::int64_t window, Column<std::int32_t> segments) {
    Buckets<Position> result;
    {
        nb::gil_scoped_release release;
        const DomainSplit split{records, domain, window, borrow(segments)};
        result = resolve_into_buckets<Position>(borrow(indices), borrow(live), each_once, split);
    }
    return hand_over_buckets(std::move(result));
}

template <class Position>
BucketColumns<Position> sort_and_bucket(Column<Position> indices, Column<std::uint64_t> live,
                                        std::int64_t records, std::int64_t domain, std::int64_t window,
                                        Column<std::int32_t> segments) {
    Buckets<Position> result;
    {
        nb::gil_scoped_release release;
        const DomainSplit split{records, domain, window, borrow(segments)};
        result = sort_into_buckets<Position>(borrow(indices), borrow(live), split);
    }
    return hand_over_buckets(std::move(result));
}

template <class Position>
BucketColumns<Position> bucket(Column<Position> indices, std::optional<Column<Position>> kept,
                               std::int64_t records, std::int64_t domain, std::int64_t window,
                               Column<std::int32_t> segments) {
    Buckets<Position> result;
    {
        nb::gil_scoped_release release;
        const DomainSplit split{records, domain, window, borrow(segments)};
        result = bucket_records<Position>(borrow(indices), borrow_or_nothing(kept), !kept, split);
    }
    return hand_over_buckets(std::move(result));
}

template <class Position>
void move(MutableColumn<std::uint8_t> target, std::optional<Column<Position>> to, Column<std::uint8_t> source,
          std::optional<Column<Position>> from, std::size_t count, std::size_t size) {
    nb::gil_scoped_release release;
    move_records<Position>(std::as_writable_bytes(borrow(target)), borrow_or_nothing(to),
                           std::as_bytes(borrow(source)), borrow_or_nothing(from), count, size);
}

template <class Position>
void register_kind(nb::module_& module) {
    module.def("mark_records", &mark<Position>, nb::arg("indices").noconvert(), nb::arg("first"),
               nb::arg("bits"));
    module.def("resolve_records", &resolve<Position>, nb::arg("indices").noconvert(), nb::arg("first"),
               nb::arg("live"));
    module.def("bucket_records", &bucket<Position>, nb::arg("indices").noconvert(),
               nb::arg("kept").noconvert().none(), nb::arg("records"), nb::arg("domain"), nb::arg("window"),
               nb::arg("segments"));
    module.def("marked_entries", &marked<Position>, nb::arg("indices").noconvert(), nb::arg("bits"));
    module.def("splice_moves", &splice<Position>, nb::arg("order").noconvert(), nb::arg("place").noconvert(),
               nb::arg("dropped").noconvert(), nb::arg("added").noconvert(),
               nb::arg("added_place").noconvert());
    module.def("resolve_into_buckets", &resolve_and_bucket<Position>, nb::arg("indices").noconvert(),
               nb::arg("live"), nb::arg("each_once"), nb::arg("records"), nb::arg("domain"),
               nb::arg("window"), nb::arg("segments"));
    module.def("sort_into_buckets", &sort_and_bucket<Position>, nb::arg("indices").noconvert(),
               nb::arg("live"), nb::arg("records"), nb::arg("domain"), nb::arg("window"),
               nb::arg("segments"));
    module.def("move_records", &move<Position>, nb::arg("target"), nb::arg("to").noconvert().none(),
               nb::arg("source"), nb::arg("from_").noconvert().none(), nb::arg("count"), nb::arg("size"));
}

}  // namespace

void register_records(nb::module_& module) {
    module.def("count_marked", &count_between, nb::arg("bits"), nb::arg("edges"));
    module.def("unmarked_records", &unmarked, nb::arg("bits"), nb::arg("first"), nb::arg("end"));
    register_kind<std::int32_t>(module);
    register_kind<std::int64_t>(module);
}

}  // namespace striate::bind
