// Runs the core's tests; `-tc="*words of a sentence*"` chooses some of them.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
