// SPDX-License-Identifier: Apache-2.0
// The admin commands that make and destroy queues.
#include "model/host_if/admin_answers.h"
#include "model/host_if/admin_commands.h"

namespace vg810 {

using namespace admin;
using regs::admin_opcode;
using regs::admin_status;
using features = regs::DEVICE_FEATURES;

// ------------------------------------------------------------------------------ create

admin_result admin_commands::check_ring(const command& c) const {
    if (c.ring_log2() < regs::min_ring_log2 || c.ring_log2() > regs::max_ring_log2)
        return bad_param(at::ring_log2);
    if (c.buffer() % 4096 != 0)
        return {admin_status::bad_alignment, at::buffer};
    if (c.doorbell_page() >= regs::doorbell_pages)
        return bad_param(at::doorbell_page);
    return ok;
}

admin_result admin_commands::check_moderation(const command& c) const {
    const bool wanted = c.moderation_ns() != 0 || c.moderation_events() != 0;
    if (c.moderation_ns() > max_moderation_ns || (wanted && !s_.has<features::moderation>()))
        return bad_param(at::moderation_ns);
    return ok;
}

admin_result admin_commands::check_cq(const command& c) const {
    if (c.cq_id() >= blocks_.cqs.size() || !blocks_.cqs[c.cq_id()]->exists())
        return no_such_queue(at::cq_id);
    if (blocks_.cqs[c.cq_id()]->failed())
        return {admin_status::bad_state, at::cq_id};
    return ok;
}

admin_commands::answer admin_commands::create_eq(const command& c) {
    if (c.queue_id() >= blocks_.eqs.size())
        return no_such_queue(at::queue_id);
    event_queue& eq = *blocks_.eqs[c.queue_id()];
    if (eq.exists())
        return admin_result{admin_status::busy, at::queue_id};
    if (const admin_result r = check_ring(c); failed(r))
        return r;
    if (c.vector() >= regs::msix_vectors)
        return bad_param(at::vector);
    if (const admin_result r = check_moderation(c); failed(r))
        return r;
    eq.create({c.buffer(), c.ring_log2(), c.vector(), c.doorbell_page(),
               picoseconds::from_ns(c.moderation_ns()), c.moderation_events()});
    return ok;
}

admin_commands::answer admin_commands::create_cq(const command& c) {
    if (c.queue_id() >= blocks_.cqs.size())
        return no_such_queue(at::queue_id);
    completion_queue& cq = *blocks_.cqs[c.queue_id()];
    if (cq.exists())
        return admin_result{admin_status::busy, at::queue_id};
    if (const admin_result r = check_ring(c); failed(r))
        return r;
    event_queue* eq = nullptr;
    if (c.eq_id() != no_eq) {
        if (c.eq_id() >= blocks_.eqs.size() || !blocks_.eqs[c.eq_id()]->exists())
            return no_such_queue(at::eq_id);
        eq = blocks_.eqs[c.eq_id()].get();
    }
    cq.create({c.queue_id(), c.buffer(), c.ring_log2(), c.doorbell_page(), eq});
    return ok;
}

admin_commands::answer admin_commands::create_txq(const command& c) {
    if (c.queue_id() >= regs::max_queues)
        return no_such_queue(at::queue_id);
    if (blocks_.tx.queue(c.queue_id()).exists())
        return admin_result{admin_status::busy, at::queue_id};
    if (const admin_result r = check_ring(c); failed(r))
        return r;
    if (const admin_result r = check_cq(c); failed(r))
        return r;
    blocks_.tx.create({static_cast<std::uint16_t>(c.queue_id()), c.buffer(), c.ring_log2(), c.doorbell_page(),
                       blocks_.cqs[c.cq_id()].get()});
    return ok;
}

admin_commands::answer admin_commands::create_rxq(const command& c) {
    if (c.queue_id() >= regs::max_queues)
        return no_such_queue(at::queue_id);
    if (blocks_.rx.queue(c.queue_id()).exists())
        return admin_result{admin_status::busy, at::queue_id};
    if (const admin_result r = check_ring(c); failed(r))
        return r;
    if (const admin_result r = check_cq(c); failed(r))
        return r;
    blocks_.rx.create({static_cast<std::uint16_t>(c.queue_id()), c.buffer(), c.ring_log2(), c.doorbell_page(),
                       blocks_.cqs[c.cq_id()].get()});
    return ok;
}

// ------------------------------------------------------------------------------ destroy

admin_commands::answer admin_commands::destroy(const command& c) {
    const std::uint32_t id = c.queue_id();
    switch (c.opcode()) {
    case admin_opcode::destroy_eq:
        return destroy_eq(id);
    case admin_opcode::destroy_cq:
        return destroy_cq(id);
    case admin_opcode::destroy_txq:
        return destroy_txq(id);
    default:
        return destroy_rxq(id);
    }
}

admin_commands::answer admin_commands::destroy_eq(std::uint32_t id) {
    if (id >= blocks_.eqs.size() || !blocks_.eqs[id]->exists())
        return no_such_queue(at::queue_id);
    if (blocks_.eqs[id]->references != 0 || admin_events() == blocks_.eqs[id].get())
        return admin_result{admin_status::busy, at::queue_id};
    draining_ = true;
    poll();
    return std::nullopt;
}

admin_commands::answer admin_commands::destroy_cq(std::uint32_t id) {
    if (id >= blocks_.cqs.size() || !blocks_.cqs[id]->exists())
        return no_such_queue(at::queue_id);
    if (blocks_.cqs[id]->references != 0)
        return admin_result{admin_status::busy, at::queue_id};
    draining_ = true;
    poll();
    return std::nullopt;
}

admin_commands::answer admin_commands::destroy_txq(std::uint32_t id) {
    if (id >= regs::max_queues || !blocks_.tx.queue(id).exists())
        return no_such_queue(at::queue_id);
    blocks_.tx.abandon(blocks_.tx.queue(id));
    draining_ = true;
    poll();
    return std::nullopt;
}

admin_commands::answer admin_commands::destroy_rxq(std::uint32_t id) {
    if (id >= regs::max_queues || !blocks_.rx.queue(id).exists())
        return no_such_queue(at::queue_id);
    blocks_.rx.stop(blocks_.rx.queue(id));
    draining_ = true;
    poll();
    return std::nullopt;
}

bool admin_commands::drained() const {
    switch (opcode_) {
    case admin_opcode::destroy_eq:
        return blocks_.eqs[queue_id_]->idle();
    case admin_opcode::destroy_cq:
        return blocks_.cqs[queue_id_]->idle();
    case admin_opcode::destroy_txq:
        return blocks_.tx.queue(queue_id_).idle();
    default:
        return blocks_.rx.queue(queue_id_).idle();
    }
}

/// A queue is gone, and the command complete, only when nothing of it is on its way to or from host memory.
void admin_commands::poll() {
    if (!draining_ || !drained())
        return;
    draining_ = false;
    if (opcode_ == admin_opcode::destroy_eq)
        blocks_.eqs[queue_id_]->destroy();
    else if (opcode_ == admin_opcode::destroy_cq)
        blocks_.cqs[queue_id_]->destroy();
    else if (opcode_ == admin_opcode::destroy_txq)
        blocks_.tx.destroy(blocks_.tx.queue(queue_id_));
    else
        blocks_.rx.queue(queue_id_).destroy();
    queue_->finish(ok);
}

} // namespace vg810
