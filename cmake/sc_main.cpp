// SPDX-License-Identifier: Apache-2.0
// vg810's programs have their own main() and call the SystemC kernel as a library. libsystemc still refers to sc_main,
// which it would call only from its own main(); this definition satisfies the linker and refuses to be run.

#include <cstdio>

extern "C" [[gnu::weak]] int sc_main(int, char**) {
    std::fputs("vg810: sc_main is not the entry point of this program\n", stderr);
    return 1;
}
