// Named parts of a program, marked by the program itself.
#include <string.h>

#include "shim.h"

static void mark(struct site* site, const char* name) {
    static struct map known;
    static int64_t last;
    if (!name || !(recorded_levels & LEVEL_REGION)) return;
    store_begin();
    uint64_t hash = 0xCBF29CE484222325u;
    for (const char* at = name; *at; at++) hash = (hash ^ (unsigned char)*at) * 0x100000001B3u;
    lock();
    struct node* node = map_find(&known, (word)hash);
    int64_t number = node ? node->value : last++;
    if (!node) {
        map_add(&known, (word)hash, number);
        put_name(NAME_REGION, number, name, strlen(name));
    }
    unlock();
    struct call call = {1, now()};
    struct event event = {.object = (int32_t)number, .peer = -1, .tag = -1, .end = call.start};
    put(&event, site, &call);
}

VISIBLE void striate_region_begin(const char* name) {
    static struct site site = {.name = FUNCTION_REGION_BEGIN};
    mark(&site, name);
}

VISIBLE void striate_region_end(const char* name) {
    static struct site site = {.name = FUNCTION_REGION_END};
    mark(&site, name);
}
