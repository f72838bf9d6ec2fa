// Who may touch the store: short waits, since what is done under a lock is short.
#include <sched.h>

#include "shim.h"

atomic_flag naming = ATOMIC_FLAG_INIT, opening = ATOMIC_FLAG_INIT;
static atomic_flag taken = ATOMIC_FLAG_INIT;

void take(atomic_flag* flag) {
    for (unsigned turn = 1; atomic_flag_test_and_set_explicit(flag, memory_order_acquire); turn++)
        if (turn % 64 == 0) sched_yield();
}

void give(atomic_flag* flag) { atomic_flag_clear_explicit(flag, memory_order_release); }

void lock(void) { take(&taken); }

void unlock(void) { give(&taken); }

// Nobody else is inside while a process forks: the child finds everything whole, and nothing locked.
void fork_begins(void) {
    take(&opening);
    take(&taken);
    take(&naming);
}

void fork_ends(void) {
    give(&naming);
    give(&taken);
    give(&opening);
}
