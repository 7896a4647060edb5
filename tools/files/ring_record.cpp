#include "tools/files/ring_record.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "shm-layout/field_type.hpp"
#include "shm-layout/record_head.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::tool {
namespace {

template <class T>
void put(std::string& ring, const T& value) {
  std::array<char, sizeof value> bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  ring.append(bytes.data(), bytes.size());
}

void put_argument(const trace::Value& value, std::string& ring) {
  if (shm::is_array(value.type)) {
    put(ring, value.count);
    ring += value.text;
    return;
  }
  if (shm::is_variable_length(value.type)) {
    put(ring, static_cast<std::uint32_t>(value.text.size()));
    ring += value.text;
    return;
  }
  const std::size_t before = ring.size();
  if (value.type == shm::FieldType::f32) {
    put(ring, value.f32);
  } else {
    put(ring, value.u64);
    put(ring, value.high);
  }
  ring.resize(before + shm::fixed_size(value.type));
}

void put_arguments(const trace::Site& site, std::span<const trace::Value> args, std::string& ring) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!site.fields[i].is_constant()) put_argument(args[i], ring);
  }
}

}  // namespace

void append_ring_record(const trace::Record& record, std::string& ring) {
  if (record.ext_flags == 0) {
    put(ring, shm::make_head(record.tsc, record.site->id));
    put_arguments(*record.site, record.args, ring);
    return;
  }
  const std::size_t begin = ring.size();
  put(ring, shm::make_head(trace::head_tsc(record.tsc, record), shm::kCodeExtended));
  put(ring, record.site->id);
  put(ring, record.ext_flags);
  const std::size_t bytes_at = ring.size();
  put(ring, std::uint32_t{0});
  if ((record.ext_flags & shm::kExtSubstream) != 0) put(ring, record.substream);
  if ((record.ext_flags & shm::kExtActivity) != 0) put(ring, record.activity);
  if ((record.ext_flags & shm::kExtRelatedActivity) != 0) put(ring, record.related);
  if ((record.ext_flags & shm::kExtStack) != 0) put(ring, record.stack_id);
  if ((record.ext_flags & shm::kExtDuration) != 0) put(ring, record.duration);
  put_arguments(*record.site, record.args, ring);
  const auto bytes = static_cast<std::uint32_t>(ring.size() - begin);
  std::memcpy(ring.data() + bytes_at, &bytes, sizeof bytes);
}

trace::StreamContext stream_context(const trace::RecordContext* context) {
  if (context == nullptr) return {};
  std::string arguments;
  put_arguments(*context->site, context->args, arguments);
  const auto bytes = std::as_bytes(std::span(arguments));
  return {context->site->id, {bytes.begin(), bytes.end()}};
}

void append_clock_record(std::uint64_t tsc, std::uint32_t processor, std::string& ring) {
  put(ring, shm::make_clock_head(tsc, processor));
  put(ring, tsc);
  put(ring, std::uint64_t{0});
}

void append_drop_record(std::uint64_t tsc, std::uint64_t count, std::uint32_t cause,
                        std::string& ring) {
  put(ring, shm::make_head(tsc, shm::kCodeDrop));
  put(ring, count);
  put(ring, cause);
  put(ring, std::uint32_t{0});
}

}  // namespace ringside::tool
