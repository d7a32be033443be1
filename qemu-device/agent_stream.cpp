// SPDX-License-Identifier: Apache-2.0
#include "qemu-device/agent_stream.h"
#include "qemu-device/harness_layout.h"

#include <zlib.h>

#include <cstring>
#include <fstream>
#include <stdexcept>

namespace vg810::qemu {

namespace {

std::uint32_t number_in(const std::string& payload) {
    std::uint32_t value = 0;
    if (payload.size() == sizeof value)
        std::memcpy(&value, payload.data(), sizeof value);
    return value;
}

bool checksum_fits(vg810_record_head head, const char* data) {
    const std::uint32_t expected = head.crc;
    head.crc = 0;
    const uLong crc = crc32(crc32(0, reinterpret_cast<const Bytef*>(&head), sizeof head),
                            reinterpret_cast<const Bytef*>(data), head.length);
    return crc == expected;
}

constexpr std::size_t need_more = 0;

} // namespace

void agent_stream::poll() {
    std::ifstream in(file_, std::ios::binary);
    if (!in) {
        if (std::filesystem::exists(file_))
            throw std::runtime_error("cannot read " + file_.string());
        return;
    }
    in.seekg(static_cast<std::streamoff>(offset_));
    char piece[65536];
    while (in.read(piece, sizeof piece), in.gcount() > 0) {
        offset_ += static_cast<std::uint64_t>(in.gcount());
        feed(piece, static_cast<std::size_t>(in.gcount()));
    }
}

void agent_stream::feed(const char* data, std::size_t size) {
    pending_.append(data, size);
    std::size_t at = 0;
    while (at < pending_.size()) {
        const std::size_t used = take_record(pending_.data() + at, pending_.size() - at);
        if (used == need_more)
            break;
        at += used;
    }
    pending_.erase(0, at);
}

// Takes the record at `data` and returns its size; 1 to skip a byte that starts no record; `need_more`.
std::size_t agent_stream::take_record(const char* data, std::size_t size) {
    vg810_record_head head{};
    if (size < sizeof head)
        return need_more;
    std::memcpy(&head, data, sizeof head);
    if (head.magic == VG810_RECORD_MAGIC && head.length <= VG810_RECORD_MAX_LENGTH) {
        if (size < sizeof head + head.length)
            return need_more;
        if (checksum_fits(head, data + sizeof head)) {
            accept(head.step, head.kind, std::string(data + sizeof head, head.length));
            return sizeof head + head.length;
        }
    }
    ++skipped_;
    return 1;
}

void agent_stream::accept(std::uint32_t number, std::uint16_t kind, const std::string& payload) {
    if (kind == VG810_RECORD_HELLO) {
        hello_ = true;
        return;
    }
    step_output& step = steps_[number];
    const bool in_file = !step.files.empty() && !step.files.back().error;
    switch (kind) {
    case VG810_RECORD_OUTPUT:
        step.text += payload;
        if (on_output_)
            on_output_(number, payload);
        break;
    case VG810_RECORD_EXIT:
        step.result = number_in(payload);
        break;
    case VG810_RECORD_FILE_NAME:
        step.files.push_back({payload, {}, {}});
        break;
    case VG810_RECORD_FILE_DATA:
        if (in_file)
            step.files.back().content += payload;
        break;
    case VG810_RECORD_FILE_END:
        if (in_file)
            step.files.back().error = static_cast<int>(number_in(payload));
        break;
    default: // of a newer agent
        break;
    }
}

const step_output& agent_stream::step(std::uint32_t number) const {
    static const step_output nothing;
    const auto found = steps_.find(number);
    return found == steps_.end() ? nothing : found->second;
}

} // namespace vg810::qemu
