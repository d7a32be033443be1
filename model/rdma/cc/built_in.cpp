// SPDX-License-Identifier: Apache-2.0
#include "model/rdma/cc/built_in.h"

#include "model/rdma/cc/state_table.h"

#include <array>

namespace vg810::cc {

namespace {

struct no_state {
    int start(const vg810_cc_flow&, vg810_cc_action&) { return 0; }
    void event(const vg810_cc_flow&, const vg810_cc_event&, vg810_cc_action&) {}
};

constexpr std::array all{&none, &dcqcn, &dcqcn_paper, &timely, &swift, &hpcc};

} // namespace

constinit const vg810_cc_algorithm none = table_of<no_state>("none", 0, false, {});

std::span<const vg810_cc_algorithm* const> built_ins() {
    return all;
}

const vg810_cc_algorithm* find_built_in(std::string_view name) {
    for (const vg810_cc_algorithm* a : all)
        if (a->name == name)
            return a;
    return nullptr;
}

} // namespace vg810::cc
