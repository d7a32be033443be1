// SPDX-License-Identifier: Apache-2.0
#include "core/systemc_bridge.h"

#include <exception>
#include <systemc>

namespace vg810 {

namespace {

class stepper : public sc_core::sc_module {
  public:
    stepper(const sc_core::sc_module_name& name, const std::function<picoseconds()>& step)
        : sc_module(name), step_(step) {
        SC_HAS_PROCESS(stepper);
        SC_METHOD(run);
    }
    std::exception_ptr failure;

  private:
    // A method process, not a thread: it runs on the caller's stack, so deep model code needs no stack of its
    // own.
    void run() {
        try {
            const picoseconds reached = step_();
            if (reached == never) {
                sc_core::sc_stop();
                return;
            }
            // The kernel's resolution is its default, 1 ps.
            const auto kernel_ps = static_cast<std::int64_t>(sc_core::sc_time_stamp().value());
            const std::int64_t ahead = reached.count() - kernel_ps;
            if (ahead > 0)
                next_trigger(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(ahead)));
            else
                next_trigger(sc_core::SC_ZERO_TIME);
        } catch (...) {
            failure = std::current_exception();
            sc_core::sc_stop();
        }
    }

    const std::function<picoseconds()>& step_;
};

} // namespace

void run_under_systemc(const std::function<picoseconds()>& step) {
    stepper process("model", step);
    sc_core::sc_start();
    if (process.failure)
        std::rethrow_exception(process.failure);
}

} // namespace vg810
