// SPDX-License-Identifier: Apache-2.0
// The one way to include SystemC and TLM-2.0 in the model: 2.3.4 and 3.0 differ only in what their convenience sockets
// expect to have been declared before.
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES // 2.3: the sockets' adapters spawn processes
#endif
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
