// SPDX-License-Identifier: Apache-2.0
// What can happen to the function under fuzz: each move is one thing that a driver, a machine or a cable
// does.
#pragma once

#include "fuzz/subject.h"

namespace vg810::fuzz::moves {

/// Queues of all kinds, receive mode, MTU, port on: what a driver's start does.
void build(subject& s);
/// Any one command, on what exists or on what does not.
void command(subject& s);
/// What a driver does about a queue that stopped, and about one that it lacks.
void repair(subject& s);
/// Changes bytes of a command, a descriptor or a data structure that the card may or may not have read.
void scribble(subject& s);

/// Packets into a TX queue, with offloads / buffers into an RX queue.
void send(subject& s);
/// More than the card can hold of long packets to be segmented.
void flood(subject& s);
void post_buffers(subject& s);
/// A frame from the wire, or a burst of long ones.
void receive(subject& s);
void burst(subject& s);
/// The driver's interrupt handler and poll loop.
void poll(subject& s);
/// A doorbell for no reason.
void doorbell(subject& s);

/// Registers of BAR 0, read and written, right and wrong.
void registers(subject& s);
/// Transactions as no processor makes them: odd lengths, over the end of a BAR, poisoned, or no access at
/// all.
void transactions(subject& s);
/// Configuration space: by register, and at random.
void configuration(subject& s);
/// MSI-X table and pending bits.
void vectors(subject& s);
/// Memory is taken away or fails, and comes back.
void memory_fault(subject& s);
/// The cable is cut or mended; the port loops back.
void cable(subject& s);
/// The function is reset by register, or by configuration, whatever it is doing.
void reset(subject& s);
/// From within an interrupt's arrival.
void interrupt(subject& s);

/// The machine is as it was: no faults, memory and cable present.
void mend(world& w);

} // namespace vg810::fuzz::moves
