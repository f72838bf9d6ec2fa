// A test harness of one page: TEST("a sentence") { CHECK(...); } and a main that runs them all.
#pragma once

#include <cstdio>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

namespace check {

struct Test {
    const char* sentence;
    std::function<void()> body;
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct Register {
    Register(const char* sentence, std::function<void()> body) {
        tests().push_back({sentence, std::move(body)});
    }
};

inline int run_all() {
    for (const auto& test : tests()) {
        const int before = failures();
        try {
            test.body();
        } catch (const std::exception& error) {
            std::printf("  unexpected exception: %s\n", error.what());
            ++failures();
        }
        if (failures() != before) std::printf("FAILED: %s\n", test.sentence);
    }
    std::printf("%zu passed, %d failed\n", tests().size(), failures());
    return failures() == 0 ? 0 : 1;
}

}  // namespace check

#define CHECK_JOIN_(a, b) a##b
#define CHECK_JOIN(a, b) CHECK_JOIN_(a, b)
#define TEST(sentence)                                                                                    \
    static void CHECK_JOIN(test_body_, __LINE__)();                                                       \
    static const check::Register CHECK_JOIN(test_, __LINE__)(sentence, CHECK_JOIN(test_body_, __LINE__)); \
    static void CHECK_JOIN(test_body_, __LINE__)()
#define CHECK(claim)                                                  \
    do {                                                              \
        if (!(claim)) {                                               \
            std::printf("  %s:%d: %s\n", __FILE__, __LINE__, #claim); \
            ++check::failures();                                      \
        }                                                             \
    } while (false)
#define CHECK_THROWS(expression)          \
    do {                                  \
        bool thrown = false;              \
        try {                             \
            (void)(expression);           \
        } catch (const std::exception&) { \
            thrown = true;                \
        }                                 \
        CHECK(thrown && #expression);     \
    } while (false)
#define RUN_ALL_TESTS \
    int main() { return check::run_all(); }
