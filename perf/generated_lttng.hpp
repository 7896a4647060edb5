// A trace in LTTng-UST's format, for benchmarks of its reader: compact event headers, contexts that
// name the thread in every event, and many small unaligned fields.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ringside::perf {

// Creates a directory for the trace; the destructor removes it.
class GeneratedLttng {
 public:
  explicit GeneratedLttng(std::uint64_t events) {
    std::string name = (std::filesystem::temp_directory_path() / "ringside-perf-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    directory_ = name;
    std::ofstream(directory_ + "/metadata") << kMetadata;
    for (std::uint32_t cpu = 0; cpu < 2; ++cpu) add_stream(cpu, events / 2);
  }
  ~GeneratedLttng() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  GeneratedLttng(const GeneratedLttng&) = delete;
  GeneratedLttng& operator=(const GeneratedLttng&) = delete;

  const std::string& path() const { return directory_; }
  std::uint64_t bytes() const { return written_; }

 private:
  static constexpr std::uint64_t kPacketBytes = std::uint64_t{256} << 10;

  static constexpr std::string_view kMetadata = R"(/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 5; align = 1; signed = false; } := uint5_t;
trace {
  major = 1; minor = 8; byte_order = le;
  packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id;
    uint64_t stream_instance_id; };
};
env { domain = "ust"; tracer_name = "lttng-ust"; hostname = "node-1"; };
clock { name = "monotonic"; freq = 1000000000; offset = 1700000000000000000; };
typealias integer { size = 27; align = 1; signed = false; map = clock.monotonic.value; } := time27_t;
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := time64_t;
struct event_header_compact {
  enum : uint5_t { compact = 0 ... 30, extended = 31 } id;
  variant <id> {
    struct { time27_t timestamp; } compact;
    struct { uint32_t id; time64_t timestamp; } extended;
  } v;
} align(8);
stream {
  id = 0;
  event.header := struct event_header_compact;
  packet.context := struct { time64_t timestamp_begin; time64_t timestamp_end;
    uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;
    uint64_t events_discarded; uint32_t cpu_id; };
  event.context := struct {
    integer { size = 32; align = 8; signed = 1; } _vpid;
    integer { size = 32; align = 8; signed = 1; } _vtid;
    integer { size = 8; align = 8; signed = 1; encoding = UTF8; } _procname[17];
  };
};
event {
  name = "orders:numbers"; id = 0; stream_id = 0; loglevel = 13;
  fields := struct {
    integer { size = 8; align = 8; signed = 1; } _i8;
    integer { size = 8; align = 8; signed = 0; } _u8;
    integer { size = 16; align = 8; signed = 1; } _i16;
    integer { size = 16; align = 8; signed = 0; base = 16; } _h16;
    integer { size = 32; align = 8; signed = 1; } _i32;
    integer { size = 32; align = 8; signed = 0; byte_order = be; } _net32;
    integer { size = 64; align = 8; signed = 1; } _i64;
    integer { size = 64; align = 8; signed = 0; } _u64;
    floating_point { exp_dig = 8; mant_dig = 24; align = 8; } _f32;
    floating_point { exp_dig = 11; mant_dig = 53; align = 8; } _f64;
    enum : integer { size = 32; align = 8; signed = 1; } { "red" = 0, "green" = 1 } _colour;
  };
};
event {
  name = "orders:text"; id = 1; stream_id = 0; loglevel = 13;
  fields := struct {
    string _text;
    integer { size = 32; align = 8; signed = 1; } _three[3];
    integer { size = 64; align = 8; signed = 0; } __list_length;
    integer { size = 32; align = 8; signed = 1; } _list[ __list_length ];
  };
};
)";

  template <class Number>
  void put(Number number) {
    packet_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }

  void add_stream(std::uint32_t cpu, std::uint64_t events) {
    std::ofstream file(directory_ + "/channel0_" + std::to_string(cpu), std::ios::binary);
    std::uint64_t now = 1'000'000;
    for (std::uint64_t i = 0, sequence = 0; i < events; ++sequence) {
      const std::uint64_t begin = now;
      packet_.assign(kHeadBytes, '\0');
      for (; i < events && packet_.size() + 256 < kPacketBytes; ++i) add_event(cpu, i, now += 400);
      const std::string content = packet_;
      packet_.clear();
      put<std::uint32_t>(0xC1FC1FC1);
      packet_.append(16, '\0');
      put<std::uint32_t>(0);
      put<std::uint64_t>(cpu);
      for (const std::uint64_t fact :
           {begin, now, content.size() * 8, kPacketBytes * 8, sequence, std::uint64_t{0}})
        put(fact);
      put(cpu);
      packet_ += content.substr(kHeadBytes);
      packet_.resize(kPacketBytes, '\0');
      file << packet_;
      written_ += packet_.size();
    }
  }

  void add_event(std::uint32_t cpu, std::uint64_t i, std::uint64_t now) {
    using namespace std::string_view_literals;
    const bool is_text = i % 4 == 3;
    put(static_cast<std::uint32_t>((now & ((1U << 27) - 1)) << 5 | (is_text ? 1 : 0)));
    put<std::int32_t>(4711);
    put(4712 + cpu);
    packet_ += "orders\0\0\0\0\0\0\0\0\0\0\0"sv;
    if (is_text) {
      packet_ += "/orders/by-customer/12345678/items\0"sv;
      for (std::uint32_t k = 0; k < 3; ++k) put(static_cast<std::uint32_t>(i) + k);
      put<std::uint64_t>(2);
      put<std::uint64_t>(i);
      return;
    }
    put(static_cast<std::uint16_t>(i * 7));
    put(static_cast<std::uint32_t>(i * 31));
    put(static_cast<std::int32_t>(i % 1499));
    put(static_cast<std::uint32_t>(i * 5) & 0xFFFF);
    put(i);
    put(now);
    put(static_cast<float>(i % 1000) / 8);
    put(static_cast<double>(i % 1000) / 8);
    put(static_cast<std::uint32_t>(i % 2));
  }

  static constexpr std::size_t kHeadBytes = 4 + 16 + 4 + 8 + 6 * 8 + 4;

  std::string directory_;
  std::string packet_;
  std::uint64_t written_ = 0;
};

}  // namespace ringside::perf
