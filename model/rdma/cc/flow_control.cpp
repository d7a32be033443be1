// SPDX-License-Identifier: Apache-2.0
#include "model/rdma/cc/flow_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace vg810::cc {

namespace {

constexpr std::uint64_t guard_word = 0x5ca1'ab1e'0ddb'a115;
constexpr std::size_t state_alignment = alignof(std::max_align_t);
constexpr std::size_t slots_per_block = 32;

constexpr std::array<std::string_view, misdeed_kinds> misdeed_names{
    "rate_too_low",   "rate_too_high", "window_too_low", "timer_too_short",
    "timer_too_long", "timer_unknown", "state_overrun",  "threw"};

std::string describe(misdeed m, std::uint64_t value, std::uint64_t used) {
    switch (m) {
    case misdeed::rate_too_low:
    case misdeed::rate_too_high:
        return fmt::format("set a rate of {} bit/s; {} is used", value, used);
    case misdeed::window_too_low:
        return fmt::format("set a window of {} octets, less than one packet; {} is used", value, used);
    case misdeed::timer_too_short:
    case misdeed::timer_too_long:
        return fmt::format("set a timer to run out in {} ps; {} is used", value, used);
    case misdeed::timer_unknown:
        return fmt::format("names timers that do not exist (bits {:#x}); they are ignored", value);
    case misdeed::state_overrun:
        return fmt::format("wrote behind the {} octets of its state; what it wrote there is lost", value);
    case misdeed::threw:
        return "let an exception out; its decision at that event is ignored";
    }
    return {};
}

void check_parameter(const std::string& origin, const vg810_cc_parameter& p) {
    if (p.name == nullptr || *p.name == '\0')
        throw std::invalid_argument(origin + ": a parameter of its table has no name");
    // Written so that a NaN fails, too.
    if (!(p.least <= p.preset && p.preset <= p.most))
        throw std::invalid_argument(
            fmt::format("{}: parameter '{}' has the preset {} outside its range {} .. {}", origin, p.name,
                        p.preset, p.least, p.most));
}

void check_table(const std::string& origin, const vg810_cc_algorithm& t) {
    if (t.abi != VG810_CC_ABI || t.size != sizeof t)
        throw std::invalid_argument(fmt::format(
            "{}: built for version {} ({} octets) of vg810_cc.h, this is version {} ({} octets): build it "
            "again with this vg810's header",
            origin, t.abi, t.size, VG810_CC_ABI, sizeof t));
    if (t.name == nullptr || *t.name == '\0')
        throw std::invalid_argument(origin + ": its table gives no name");
    if (t.start == nullptr || t.event == nullptr)
        throw std::invalid_argument(origin + ": its table lacks start() or event()");
    if (t.state_bytes > VG810_CC_STATE_LIMIT)
        throw std::invalid_argument(fmt::format("{}: asks for {} octets of state, at most {} are allowed",
                                                origin, t.state_bytes, VG810_CC_STATE_LIMIT));
    if (t.parameter_count > 0 && t.parameters == nullptr)
        throw std::invalid_argument(origin + ": its table counts parameters and has none");
    for (std::uint32_t i = 0; i < t.parameter_count; ++i)
        check_parameter(origin, t.parameters[i]);
    for (std::uint32_t i = 1; i < t.parameter_count; ++i)
        for (std::uint32_t j = 0; j < i; ++j)
            if (std::strcmp(t.parameters[i].name, t.parameters[j].name) == 0)
                throw std::invalid_argument(
                    fmt::format("{}: parameter '{}' is twice in its table", origin, t.parameters[i].name));
}

std::uint32_t index_of(const std::string& origin, const vg810_cc_algorithm& t, std::string_view key) {
    std::string known;
    for (std::uint32_t i = 0; i < t.parameter_count; ++i) {
        if (key == t.parameters[i].name)
            return i;
        known += (i == 0 ? "" : ", ") + std::string(t.parameters[i].name);
    }
    throw std::invalid_argument(fmt::format("{}: no parameter '{}'; there {}", origin, key,
                                            known.empty() ? "are none" : "are: " + known));
}

} // namespace

std::string_view name_of(misdeed m) {
    return misdeed_names[static_cast<std::size_t>(m)];
}

algorithm::algorithm(const vg810_cc_algorithm& table, std::span<const parameter_value> values,
                     std::string origin)
    : table_(table), origin_(std::move(origin)) {
    if (origin_.empty())
        origin_ = table.name != nullptr ? table.name : "a congestion-control algorithm";
    check_table(origin_, table);
    for (std::uint32_t i = 0; i < table.parameter_count; ++i)
        values_.push_back(table.parameters[i].preset);
    std::vector<bool> given(values_.size());
    for (const parameter_value& v : values) {
        const std::uint32_t i = index_of(origin_, table, v.key);
        const vg810_cc_parameter& p = table.parameters[i];
        if (given[i])
            throw std::invalid_argument(fmt::format("{}: parameter '{}' is given twice", origin_, v.key));
        if (!(v.value >= p.least && v.value <= p.most))
            throw std::invalid_argument(fmt::format("{}: {} = {} is out of range: {} .. {} {}", origin_,
                                                    v.key, v.value, p.least, p.most,
                                                    p.unit != nullptr ? p.unit : ""));
        given[i] = true;
        values_[i] = v.value;
    }
    // The guard word directly behind the state, rounded to its own alignment; the next slot aligned for
    // anything.
    guard_at_ =
        (table.state_bytes + alignof(std::uint64_t) - 1) / alignof(std::uint64_t) * alignof(std::uint64_t);
    slot_bytes_ = (guard_at_ + sizeof guard_word + state_alignment - 1) / state_alignment * state_alignment;
}

std::uint64_t algorithm::misdeeds() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : counts_)
        sum += n;
    return sum;
}

std::byte* algorithm::take_state() {
    if (free_slots_.empty()) {
        blocks_.push_back(std::make_unique<std::byte[]>(slot_bytes_ * slots_per_block));
        for (std::size_t i = slots_per_block; i-- > 0;)
            free_slots_.push_back(blocks_.back().get() + i * slot_bytes_);
    }
    std::byte* slot = free_slots_.back();
    free_slots_.pop_back();
    std::memset(slot, 0, slot_bytes_);
    std::memcpy(slot + guard_at_, &guard_word, sizeof guard_word);
    return slot;
}

void algorithm::give_back_state(std::byte* state) {
    free_slots_.push_back(state);
}

void algorithm::note(misdeed m, std::uint64_t value, std::uint64_t used, std::uint64_t now) {
    if (counts_[static_cast<std::size_t>(m)]++ > 0 || !reporter_)
        return;
    const std::string named = origin_ == name() ? origin_ : fmt::format("{} ({})", origin_, name());
    reporter_(fmt::format("congestion control {} {}, first at {} us; further cases are only counted, as {}",
                          named, describe(m, value, used), static_cast<double>(now) * 1e-6, name_of(m)));
}

flow::flow(algorithm& a, const flow_facts& facts, picoseconds now)
    : algorithm_(&a), rate_(static_cast<std::uint64_t>(facts.line_rate.count())),
      facts_{rate_, static_cast<std::uint64_t>(facts.base_rtt.count()), facts.mtu, facts.hops,
             a.values_.data()} {
    if (facts.mtu == 0)
        throw std::invalid_argument("a flow's mtu must be above 0");
    deadlines_.fill(never);
    state_ = a.take_state();
    const auto at = static_cast<std::uint64_t>(now.count());
    vg810_cc_action wanted{rate_, window_, 0, 0, {}};
    int answer = 0;
    try {
        answer = a.table_.start(state_, &facts_, &wanted);
    } catch (...) {
        a.note(misdeed::threw, 0, 0, at);
        answer = -1;
    }
    if (answer < 0) {
        a.give_back_state(state_);
        throw std::runtime_error(
            fmt::format("congestion control {} refuses a flow at {} bit/s (its start() answers {})",
                        a.origin_, facts_.line_rate, answer));
    }
    check_guard(at);
    adopt(wanted, at);
}

flow::flow(flow&& other) noexcept
    : algorithm_(other.algorithm_), state_(std::exchange(other.state_, nullptr)), rate_(other.rate_),
      window_(other.window_), facts_(other.facts_), deadlines_(other.deadlines_),
      next_deadline_(other.next_deadline_) {}

flow::~flow() {
    if (state_ != nullptr)
        algorithm_->give_back_state(state_);
}

void flow::deliver(const vg810_cc_event& e) {
    vg810_cc_action wanted{rate_, window_, 0, 0, {}};
    try {
        algorithm_->table_.event(state_, &facts_, &e, &wanted);
    } catch (...) {
        algorithm_->note(misdeed::threw, 0, 0, e.now);
        wanted = {rate_, window_, 0, 0, {}};
    }
    check_guard(e.now);
    adopt(wanted, e.now);
}

void flow::check_guard(std::uint64_t now) {
    std::uint64_t found = 0;
    std::memcpy(&found, state_ + algorithm_->guard_at_, sizeof found);
    if (found == guard_word) [[likely]]
        return;
    std::memcpy(state_ + algorithm_->guard_at_, &guard_word, sizeof guard_word);
    algorithm_->note(misdeed::state_overrun, algorithm_->table_.state_bytes, 0, now);
}

void flow::adopt(vg810_cc_action& wanted, std::uint64_t now) {
    const std::uint64_t least = std::min<std::uint64_t>(VG810_CC_LEAST_RATE, facts_.line_rate);
    rate_ = std::clamp(wanted.rate, least, facts_.line_rate);
    if (rate_ != wanted.rate) [[unlikely]]
        algorithm_->note(wanted.rate < least ? misdeed::rate_too_low : misdeed::rate_too_high, wanted.rate,
                         rate_, now);
    window_ = std::max<std::uint64_t>(wanted.window, facts_.mtu);
    if (window_ != wanted.window) [[unlikely]]
        algorithm_->note(misdeed::window_too_low, wanted.window, window_, now);
    if ((wanted.set_timers | wanted.stop_timers) != 0)
        adopt_timers(wanted, now);
}

void flow::adopt_timers(const vg810_cc_action& wanted, std::uint64_t now) {
    const std::uint32_t unknown = (wanted.set_timers | wanted.stop_timers) >> VG810_CC_TIMERS
                                                                                  << VG810_CC_TIMERS;
    if (unknown != 0) [[unlikely]]
        algorithm_->note(misdeed::timer_unknown, unknown, 0, now);
    next_deadline_ = never;
    for (std::size_t i = 0; i < VG810_CC_TIMERS; ++i) {
        if ((wanted.stop_timers >> i & 1) != 0)
            deadlines_[i] = never;
        if ((wanted.set_timers >> i & 1) != 0) {
            const std::uint64_t asked = wanted.timer_delay[i];
            const std::uint64_t delay =
                std::clamp<std::uint64_t>(asked, VG810_CC_LEAST_DELAY, VG810_CC_LONGEST_DELAY);
            if (delay != asked) [[unlikely]]
                algorithm_->note(asked < delay ? misdeed::timer_too_short : misdeed::timer_too_long, asked,
                                 delay, now);
            deadlines_[i] =
                picoseconds(static_cast<std::int64_t>(now)) + picoseconds(static_cast<std::int64_t>(delay));
        }
        next_deadline_ = std::min(next_deadline_, deadlines_[i]);
    }
}

void flow::run_timers(picoseconds now) {
    while (next_deadline_ <= now && next_deadline_ != never) {
        const auto due = std::find(deadlines_.begin(), deadlines_.end(), next_deadline_);
        *due = never;
        next_deadline_ = *std::min_element(deadlines_.begin(), deadlines_.end());
        vg810_cc_event e{};
        e.kind = VG810_CC_TIMER;
        e.timer = static_cast<std::uint32_t>(due - deadlines_.begin());
        e.now = static_cast<std::uint64_t>(now.count());
        deliver(e);
    }
}

} // namespace vg810::cc
