// SPDX-License-Identifier: Apache-2.0
// An algorithm whose decisions a test sets, for the host's side of the interface; and events made short.
#pragma once

#include "model/rdma/cc/flow_control.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace vg810::cc::testing {

inline vg810_cc_event event_at(std::uint64_t now, vg810_cc_kind kind) {
    vg810_cc_event e{};
    e.kind = kind;
    e.now = now;
    return e;
}

/// Its calls land in `heard`; `answer` decides. One at a time, for the C interface carries no context.
class script_algorithm {
  public:
    using answer_function = std::function<void(void* state, const vg810_cc_event&, vg810_cc_action&)>;

    script_algorithm() {
        current_ = this;
        table.abi = VG810_CC_ABI;
        table.size = sizeof table;
        table.name = "script";
        table.state_bytes = 12;
        table.events = ~0u;
        table.start = [](void*, const vg810_cc_flow*, vg810_cc_action* a) {
            current_->first = *a;
            return current_->start_answer;
        };
        table.event = [](void* s, const vg810_cc_flow*, const vg810_cc_event* e, vg810_cc_action* a) {
            current_->heard.push_back(*e);
            if (current_->answer)
                current_->answer(s, *e, *a);
        };
    }
    script_algorithm(const script_algorithm&) = delete;
    ~script_algorithm() { current_ = nullptr; }

    vg810_cc_algorithm table{};
    vg810_cc_action first{};
    int start_answer = 0;
    answer_function answer;
    std::vector<vg810_cc_event> heard;

  private:
    static inline script_algorithm* current_ = nullptr;
};

} // namespace vg810::cc::testing
