#include "striate/programs/volume.hpp"

#include <doctest/doctest.h>

using striate::Kind;
using striate::volume_of;

TEST_CASE("a binomial broadcast over 5: 0 sends to 1, 2, 4; 2 sends to 3") {
    const std::int64_t sent[] = {3, 0, 1, 0, 0};
    for (std::int64_t v = 0; v < 5; ++v) {
        CHECK(volume_of(Kind::bcast, 5, v, 0, 100).sent_bytes == 100 * sent[v]);
        CHECK(volume_of(Kind::bcast, 5, v, 0, 100).received_bytes == (v ? 100 : 0));
    }
}

TEST_CASE("a gather over 6 rooted at 2 brings five blocks to the root") {
    // relative to the root: 0 <- 1, 0 <- 2 (with 3), 0 <- 4 (with 5)
    CHECK(volume_of(Kind::gather, 6, 2, 2, 10).received_bytes == 50);
    CHECK(volume_of(Kind::gather, 6, 2, 2, 10).received_messages == 3);
    CHECK(volume_of(Kind::gather, 6, 4, 2, 10).sent_bytes == 20);
}

TEST_CASE("what all send is what all receive") {
    const Kind kinds[] = {Kind::barrier, Kind::bcast,         Kind::reduce,    Kind::allreduce,
                          Kind::gather,  Kind::scatter,       Kind::allgather, Kind::alltoall,
                          Kind::scan,    Kind::reduce_scatter};
    for (const Kind kind : kinds) {
        for (std::int64_t size = 1; size < 40; ++size) {
            for (const std::int64_t bytes : {1, 1000, 100000}) {
                std::int64_t sent = 0, received = 0;
                for (std::int64_t position = 0; position < size; ++position) {
                    const auto volume = volume_of(kind, size, position, size / 2, bytes);
                    sent += volume.sent_bytes;
                    received += volume.received_bytes;
                }
                CHECK(sent == received);
            }
        }
    }
}
