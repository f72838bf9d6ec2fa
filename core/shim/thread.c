// Numbers of threads, and the call that each is inside.
#include <pthread.h>
#include <string.h>

#include "shim.h"

__thread struct inside* inside __attribute__((tls_model("initial-exec")));
__thread uint16_t thread_number __attribute__((tls_model("initial-exec")));
__thread uint64_t thread_events __attribute__((tls_model("initial-exec")));

// Threads are numbered from the lowest number that is free: those that follow each other share one.
static pthread_key_t thread_end;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;
static uint64_t numbered[1024];

static void thread_ended(void* number) {
    uint64_t index = (uint64_t)(uintptr_t)number - 1;
    lock();
    numbered[index / 64] &= ~(1ull << index % 64);
    unlock();
    thread_number = 0, inside = NULL;
}

static void prepare_threads(void) { pthread_key_create(&thread_end, thread_ended); }

void number_thread(void) {
    if (thread_number) return;
    pthread_once(&thread_once, prepare_threads);
    lock();
    for (unsigned i = 0; i < sizeof numbered / sizeof *numbered && !thread_number; i++)
        if (~numbered[i]) {
            unsigned bit = (unsigned)__builtin_ctzll(~numbered[i]);
            if (i * 64 + bit + 1 > UINT16_MAX) break;
            numbered[i] |= 1ull << bit;
            thread_number = (uint16_t)(i * 64 + bit + 1);
        }
    unlock();
    if (thread_number)
        pthread_setspecific(thread_end, (void*)(uintptr_t)thread_number);
    else
        thread_number = UINT16_MAX;
}

void threads_forget(void) {
    thread_number = 0;
    memset(numbered, 0, sizeof numbered);
}
