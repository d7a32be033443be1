// SPDX-License-Identifier: Apache-2.0
// The registers of one function: their values, and what a read or write through a BAR does to them.
//
// The rules are those of docs/registers.md: access types, reserved bits, widths, halves of 64-bit registers,
// silence before STATUS.ready. What a register means is its owner's business, who hears of every access that
// had an effect.
#pragma once

#include "model/regs/vg810_regs.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace vg810::regs {

/// What became of an access. `bad`: absent register, wrong width or alignment, write to a read-only register;
/// the owner records it in ERROR_STATUS.bad_access. `not_ready`: the register does not answer before
/// STATUS.ready.
enum class access_result : std::uint8_t { ok, bad, not_ready };

struct read_result {
    std::uint64_t value; ///< 0 unless `result` is ok
    access_result result;
};

/// The owner of a register file. `copy` is the doorbell page, 0 for registers that exist once.
class register_listener {
  public:
    virtual ~register_listener() = default;

    /// A write took effect. `value` is the register's new value, for a write-only register what was written,
    /// reserved bits 0. Also called if the value is the old one. May call anything of the register file,
    /// reset() included.
    virtual void on_write(reg which, std::uint32_t copy, std::uint64_t old, std::uint64_t value) = 0;

    /// The register is about to be read: the time to set() one whose value moves by itself. Not called for
    /// the high half that follows a read of the low half.
    virtual void on_read(reg which, std::uint32_t copy) = 0;
};

class register_file {
  public:
    /// All registers at their reset values; `listener` must outlive the file.
    explicit register_file(register_listener& listener);

    /// A read of `size` bytes at `offset` bytes into a BAR.
    read_result read(unsigned bar, std::uint64_t offset, unsigned size);

    /// A write of the low `size` bytes of `value`.
    access_result write(unsigned bar, std::uint64_t offset, unsigned size, std::uint64_t value);

    /// The owner's side: the value itself, without rules and without calling the listener.
    std::uint64_t get(reg which, std::uint32_t copy = 0) const { return values_[slot(which, copy)]; }
    void set(reg which, std::uint64_t value, std::uint32_t copy = 0);

    /// One field of a register that exists once: `file.get<STATUS, STATUS::ready>()`.
    template <typename Register, typename Field> auto get() const {
        return Field::get(static_cast<decltype(Field::mask)>(get(Register::reg_id)));
    }
    template <typename Register, typename Field> void set(decltype(Field::get(0)) part) {
        set(Register::reg_id,
            Field::set(static_cast<std::remove_const_t<decltype(Field::mask)>>(get(Register::reg_id)), part));
    }

    /// A value from outside the map (address, port number): takes effect now and is what reset() restores.
    void strap(reg which, std::uint64_t value);

    /// A counter, to be incremented in place.
    std::uint64_t& count(counter which) { return values_[static_cast<std::size_t>(which)]; }
    std::uint64_t count(counter which) const { return values_[static_cast<std::size_t>(which)]; }
    std::span<const std::uint64_t, counter_count> counters() const {
        return std::span<const std::uint64_t, counter_count>{values_.data(), counter_count};
    }

    /// Function reset: everything to its reset or strapped value, half-done 64-bit accesses forgotten.
    void reset();

  private:
    struct place {
        const register_info* info;
        std::uint32_t copy;
        std::size_t slot;
        bool half; // 4 bytes of an 8-byte register
        bool high;
    };
    struct held_half {
        std::size_t slot;
        std::uint64_t value;
    };

    static std::size_t slot(reg which, std::uint32_t copy);
    static std::optional<place> locate(unsigned bar, std::uint64_t offset, unsigned size);
    bool answers(const register_info& info) const;
    std::uint64_t read_half(const place& at);
    std::optional<std::uint64_t> written_value(const place& at, std::uint64_t value);

    register_listener& listener_;
    std::vector<std::uint64_t> values_; // by slot; of a write-only register: the held low half
    std::vector<std::pair<reg, std::uint64_t>> straps_;
    std::optional<held_half> high_half_; // of the last low half read
};

} // namespace vg810::regs
