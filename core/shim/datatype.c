// A datatype as a tree of numbers, taken apart once: the reader lays it out, not the traced program.
//
// node := combiner size extent lower n integers... n addresses... n counts... n nodes...
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define LONGEST (1 << 20)
#define DEEPEST 32
#define NAMED 1

struct tree {
    int64_t* number;
    size_t length;
    int broken;
};

static void add(struct tree* tree, int64_t number) {
    if (tree->length < LONGEST)
        tree->number[tree->length++] = number;
    else
        tree->broken = 1;
}

wide type_bytes(word type) {
    static int (*wide_size)(word, wide*);
    static int (*plain_size)(word, int*);
    if (!wide_size && !plain_size) {
        plain_size = (int (*)(word, int*))find_symbol("PMPI_Type_size");
        wide_size = (int (*)(word, wide*))find_symbol("PMPI_Type_size_x");
    }
    int small = 0;
    if (plain_size && plain_size(type, &small) == 0 && small >= 0) return small;
    wide large = 0;
    if (wide_size) wide_size(type, &large);
    return large < 0 ? 0 : large;
}

// The `_c` forms understand types made by either kind of call, the plain ones only their own.
static int envelope(word type, wide* counts, int* combiner) {
    int (*wide_form)(word, wide*, wide*, wide*, wide*, int*) =
        (int (*)(word, wide*, wide*, wide*, wide*, int*))find_symbol("PMPI_Type_get_envelope_c");
    if (wide_form) return wide_form(type, counts, counts + 1, counts + 2, counts + 3, combiner);
    int (*plain_form)(word, int*, int*, int*, int*) =
        (int (*)(word, int*, int*, int*, int*))find_symbol("PMPI_Type_get_envelope");
    int small[3] = {0};
    int status = plain_form ? plain_form(type, small, small + 1, small + 2, combiner) : 1;
    counts[0] = small[0], counts[1] = small[1], counts[2] = 0, counts[3] = small[2];
    return status;
}

static int contents(word type, const wide* counts, int* integers, wide* addresses, wide* large, void* types) {
    typedef int (*wide_form)(word, wide, wide, wide, wide, int*, wide*, wide*, void*);
    typedef int (*plain_form)(word, int, int, int, int*, wide*, void*);
    wide_form get_wide = (wide_form)find_symbol("PMPI_Type_get_contents_c");
    if (get_wide)
        return get_wide(type, counts[0], counts[1], counts[2], counts[3], integers, addresses, large, types);
    plain_form get_plain = (plain_form)find_symbol("PMPI_Type_get_contents");
    return get_plain
               ? get_plain(type, (int)counts[0], (int)counts[1], (int)counts[3], integers, addresses, types)
               : 1;
}

static void release(word type) {
    wide counts[4];
    int combiner;
    if (envelope(type, counts, &combiner) != 0 || combiner_number(combiner) == NAMED) return;
    int (*free_type)(void*) = (int (*)(void*))find_symbol("PMPI_Type_free");
    if (free_type) free_type(&type);
}

static void take_apart(struct tree* tree, word type, int level) {
    wide counts[4] = {0}, lower = 0, extent = 0;
    int combiner = 0;
    int (*get_extent)(word, wide*, wide*) = (int (*)(word, wide*, wide*))find_symbol("PMPI_Type_get_extent");
    if (level > DEEPEST || !get_extent || get_extent(type, &lower, &extent) ||
        envelope(type, counts, &combiner)) {
        tree->broken = 1;
        return;
    }
    int kind = combiner_number(combiner);
    add(tree, kind), add(tree, type_bytes(type)), add(tree, extent), add(tree, lower);
    wide total = counts[0] + counts[1] + counts[2] + counts[3];
    if (kind == NAMED || total > LONGEST) {
        for (int i = 0; i < 4; i++) add(tree, 0);
        tree->broken |= kind != NAMED;
        return;
    }
    int* integers = calloc((size_t)counts[0] + 1, sizeof *integers);
    wide* addresses = calloc((size_t)(counts[1] + counts[2]) + 1, sizeof *addresses);
    word* types = calloc((size_t)counts[3] + 1, sizeof *types);
    if (integers && addresses && types &&
        contents(type, counts, integers, addresses, addresses + counts[1], types) == 0) {
        add(tree, counts[0]);
        for (wide i = 0; i < counts[0]; i++) add(tree, integers[i]);
        for (int part = 1, at = 0; part < 3; part++) {
            add(tree, counts[part]);
            for (wide i = 0; i < counts[part]; i++) add(tree, addresses[at++]);
        }
        add(tree, counts[3]);
        for (wide i = 0; i < counts[3]; i++) {
            word child = handle_at(types, (int)i);
            take_apart(tree, child, level + 1);
            release(child);
        }
    } else {
        tree->broken = 1;
    }
    free(integers), free(addresses), free(types);
}

// Equal types get one number, so that a view set in every step is written once.
int64_t type_number(word type) {
    static struct map known;
    static int64_t last;
    struct tree tree = {malloc(LONGEST * sizeof(int64_t)), 0, 0};
    if (!tree.number) return -1;
    depth++;
    take_apart(&tree, type, 0);
    depth--;
    int64_t number = -1;
    if (!tree.broken) {
        uint64_t hash = 0xCBF29CE484222325u;
        for (size_t i = 0; i < tree.length; i++)
            hash = (hash ^ (uint64_t)tree.number[i]) * 0x100000001B3u, hash ^= hash >> 29;
        lock();
        struct node* node = map_find(&known, (word)hash);
        number = node ? node->value : ++last;
        if (!node) {
            map_add(&known, (word)hash, number);
            put_name(NAME_TYPE, number, tree.number, tree.length * sizeof(int64_t));
        }
        unlock();
    }
    free(tree.number);
    return number;
}
