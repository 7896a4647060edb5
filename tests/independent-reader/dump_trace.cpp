// Prints every event of trace files as the reader library returns it, one per line, for comparison
// with the independent reader: numbers in decimal, values as the hexadecimal bytes of the record.
//
// usage: dump_trace PATH...
//
//     R unix_ns pid stream sequence ticks site extension_flags extension_parts [@processor]
//     value... L unix_ns pid stream sequence count cause

#include <cinttypes>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tests/trace-format/decoded_record.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace {

using namespace ringside;

std::string hex(std::string_view bytes) {
  if (bytes.empty()) return "-";
  std::string text;
  for (const char byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

// Without the lengths that a record stores before texts and arrays.
std::string value_bytes(const trace::Value& value) {
  if (shm::is_array(value.type)) return std::string(value.text);
  return trace::testing::ring_form(value, false);
}

void print(const trace::Event& event) {
  const trace::Record& record = event.record;
  const bool loss = event.kind == trace::EventKind::kLoss;
  std::printf("%c %" PRIu64 " %u %" PRIu64 " %" PRIu64, loss ? 'L' : 'R', event.unix_ns,
              event.segment->pid, record.stream_id, record.sequence);
  if (loss) {
    std::printf(" %" PRIu64 " %u\n", event.lost, static_cast<unsigned>(event.cause));
    return;
  }
  const trace::testing::Decoded decoded = trace::testing::owned(record);
  std::printf(" %" PRIu64 " %u %u %s", record.tsc, decoded.site_id, decoded.ext_flags,
              hex(decoded.parts).c_str());
  if (record.processor != 0) std::printf(" @%u", record.processor - 1);
  if (record.context != nullptr) {
    std::printf(" #%u", record.context->site->id);
    for (const trace::Value& value : record.context->args) {
      std::printf(":%s", hex(value_bytes(value)).c_str());
    }
  }
  for (const trace::Value& value : record.args) std::printf(" %s", hex(value_bytes(value)).c_str());
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> paths(argv + 1, argv + argc);
  trace::ReadError error;
  auto set = trace::TraceSet::open(paths, &error);
  if (!set) {
    std::fprintf(stderr, "dump_trace: %s\n", error.text().c_str());
    return 2;
  }
  trace::Event event;
  while (set->next(event)) print(event);
  return 0;
}
