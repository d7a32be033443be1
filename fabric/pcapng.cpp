// SPDX-License-Identifier: Apache-2.0
#include "fabric/pcapng.h"

#include "core/endian.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace vg810::fabric {

namespace {

constexpr std::size_t flush_at = 256 << 10;

// Section 4 of the format: block types, and the options used here.
constexpr std::uint32_t section_header = 0x0a0d0d0a, interface_description = 1, enhanced_packet = 6;
constexpr std::uint16_t end_of_options = 0, shb_userappl = 4, if_name = 2, if_speed = 8, if_tsresol = 9,
                        if_fcslen = 13, epb_flags = 2;
constexpr std::uint16_t linktype_ethernet = 1;
constexpr std::uint32_t epb_crc_error = 1u << 24;

template <class T> std::span<const std::byte> octets_of(const T& v) {
    return std::as_bytes(std::span(&v, 1));
}

} // namespace

pcapng_writer::pcapng_writer(std::string path, error_handler on_error)
    : path_(std::move(path)), on_error_(std::move(on_error)),
      fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (fd_ < 0)
        throw std::system_error(errno, std::generic_category(), "cannot write the capture " + path_);
    buffer_.reserve(flush_at + 16'384);
    begin_block(section_header);
    put(std::uint32_t{0x1a2b3c4d}); // byte-order magic
    put(std::uint16_t{1});          // version 1.0
    put(std::uint16_t{0});
    put(~std::uint64_t{0}); // section length not given
    put_option(shb_userappl, std::string_view("vg810"));
    put_option(end_of_options, std::string_view());
    end_block();
}

pcapng_writer::~pcapng_writer() {
    close();
}

std::uint32_t pcapng_writer::add_interface(std::string_view name, bits_per_second speed) {
    begin_block(interface_description);
    put(linktype_ethernet);
    put(std::uint16_t{0}); // reserved
    put(std::uint32_t{0}); // no snap length
    put_option(if_name, name);
    put_option(if_speed, octets_of(static_cast<std::uint64_t>(speed.count())));
    put_option(if_tsresol, octets_of(std::uint8_t{9}));
    put_option(if_fcslen, octets_of(std::uint8_t{0}));
    put_option(end_of_options, std::string_view());
    end_block();
    return interfaces_++;
}

void pcapng_writer::write(const packet& p) {
    if (fd_ < 0) {
        ++lost_;
        return;
    }
    const auto time = static_cast<std::uint64_t>(p.at.floor_ns());
    const std::uint32_t flags = static_cast<std::uint32_t>(p.way) | (p.fcs_bad ? epb_crc_error : 0);
    begin_block(enhanced_packet);
    put(p.interface);
    put(static_cast<std::uint32_t>(time >> 32));
    put(static_cast<std::uint32_t>(time));
    put(static_cast<std::uint32_t>(p.octets.size()));
    put(static_cast<std::uint32_t>(p.length));
    put_padded(p.octets);
    put_option(epb_flags, octets_of(flags));
    put_option(end_of_options, std::string_view());
    end_block();
    ++buffered_;
    if (buffer_.size() >= flush_at)
        flush();
}

void pcapng_writer::flush() {
    std::size_t done = 0;
    while (fd_ >= 0 && done < buffer_.size()) {
        const ssize_t n = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
        if (n < 0 && errno != EINTR)
            return fail(errno, done);
        if (n > 0)
            done += static_cast<std::size_t>(n);
    }
    kept_ += done;
    packets_ += std::exchange(buffered_, 0);
    buffer_.clear();
}

void pcapng_writer::close() {
    flush();
    if (fd_ >= 0 && ::close(std::exchange(fd_, -1)) != 0) // a file system may report only now that it is full
        fail(errno, 0);
}

// Keeps the whole blocks among the `written` octets of the buffer: a reader stumbles over half a block.
void pcapng_writer::fail(int reason, std::size_t written) {
    std::size_t whole = 0;
    std::uint64_t packets = 0;
    while (whole + 12 <= written) {
        const auto length = load_le<std::uint32_t>(buffer_.data() + whole + 4);
        if (whole + length > written)
            break;
        packets += load_le<std::uint32_t>(buffer_.data() + whole) == enhanced_packet;
        whole += length;
    }
    kept_ += whole;
    packets_ += packets;
    lost_ += std::exchange(buffered_, 0) - packets;
    buffer_.clear();
    error_ = "the capture " + path_ + " ends after " + std::to_string(packets_) +
             " packets: " + std::strerror(reason);
    struct stat s {};
    if (fd_ >= 0 && ::fstat(fd_, &s) == 0 && S_ISREG(s.st_mode) &&
        ::ftruncate(fd_, static_cast<off_t>(kept_)) != 0)
        *error_ += std::string("; its last block is cut off: ") + std::strerror(errno);
    if (fd_ >= 0)
        ::close(std::exchange(fd_, -1));
    if (on_error_)
        on_error_(*error_);
}

void pcapng_writer::begin_block(std::uint32_t type) {
    block_ = buffer_.size();
    put(type);
    put(std::uint32_t{0}); // the length, known at the end
}

void pcapng_writer::end_block() {
    const auto length = static_cast<std::uint32_t>(buffer_.size() - block_ + 4);
    put(length);
    store_le(buffer_.data() + block_ + 4, length);
}

template <class T> void pcapng_writer::put(T v) {
    const std::size_t at = buffer_.size();
    buffer_.resize(at + sizeof v);
    store_le(buffer_.data() + at, v);
}

void pcapng_writer::put_padded(std::span<const std::byte> octets) {
    buffer_.insert(buffer_.end(), octets.begin(), octets.end());
    buffer_.resize((buffer_.size() + 3) & ~std::size_t{3});
}

void pcapng_writer::put_option(std::uint16_t code, std::span<const std::byte> value) {
    put(code);
    put(static_cast<std::uint16_t>(value.size()));
    put_padded(value);
}

void pcapng_writer::put_option(std::uint16_t code, std::string_view value) {
    put_option(code, std::as_bytes(std::span(value.data(), value.size())));
}

} // namespace vg810::fabric
