// Numbers for handles. A handle may be in flight several times (MPICH's finished requests share one): oldest
// first.
#include <stdlib.h>

#include "shim.h"

static struct node** bucket_of(struct map* map, word key) {
    uint64_t mixed = (uint64_t)key * 0x9E3779B97F4A7C15u;
    return &map->bucket[mixed >> 54];
}

struct node* map_add(struct map* map, word key, int64_t value) {
    struct node* node = calloc(1, sizeof *node);
    if (!node) return NULL;
    node->key = key, node->value = value;
    struct node** place = bucket_of(map, key);
    while (*place) place = &(*place)->next;
    *place = node;
    return node;
}

struct node* map_find(struct map* map, word key) {
    for (struct node* node = *bucket_of(map, key); node; node = node->next)
        if (node->key == key) return node;
    return NULL;
}

int64_t map_take(struct map* map, word key, int64_t missing) {
    for (struct node** place = bucket_of(map, key); *place; place = &(*place)->next)
        if ((*place)->key == key) {
            struct node* node = *place;
            int64_t value = node->value;
            *place = node->next;
            free(node->keep);
            free(node);
            return value;
        }
    return missing;
}
