#include <algorithm>
#include <cstdint>
#include <cstring>

#include "perf/compression/codecs.hpp"
#include "perf/compression/integer_codes.hpp"
#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/extent_encoder.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::perf {
namespace {

using trace::load;
using trace::store;

class Memcpy : public Codec {
 public:
  std::string name() const override { return "memcpy"; }
  std::size_t encode(std::span<const std::byte> input, std::span<std::byte> out) override {
    std::memcpy(out.data(), input.data(), input.size());
    return input.size();
  }
};

// Calls code.begin(id, ticks since the previous record, number of numeric arguments), then
// code.number(v), code.real(bits) or code.text(p, bytes) for each argument, then code.end(). The
// number and the type of the arguments come from `which` and are known at the call, as they are in
// the code that NanoLog compiles for each statement.
template <ArgumentType kType, class Code>
void each_record(unsigned arguments, std::span<const std::byte> input, Code& code) {
  std::uint64_t before = kStudyStartTick;
  for (const std::byte *p = input.data(), *const end = p + input.size(); p != end;) {
    const auto head = load<std::uint64_t>(p);
    p += 8;
    const std::uint64_t tick = shm::head_tsc(head);
    constexpr bool kIsTagged = kType != ArgumentType::kString;
    code.begin(shm::head_id(head), tick - before, kIsTagged ? arguments : 0);
    before = tick;
    for (unsigned i = 0; i < arguments; ++i) {
      if constexpr (kType == ArgumentType::kInt) {
        code.number(static_cast<std::uint64_t>(std::int64_t{load<std::int32_t>(p)}));
        p += 4;
      } else if constexpr (kType == ArgumentType::kLong) {
        code.number(load<std::uint64_t>(p));
        p += 8;
      } else if constexpr (kType == ArgumentType::kDouble) {
        code.real(load<std::uint64_t>(p));
        p += 8;
      } else {
        const auto bytes = load<std::uint32_t>(p);
        code.text(p + 4, bytes);
        p += 4 + bytes;
      }
    }
    code.end();
  }
}

template <class Code>
void each_record(const StudyCase& which, std::span<const std::byte> input, Code& code) {
  switch (which.type) {
    case ArgumentType::kInt:
      return each_record<ArgumentType::kInt>(which.arguments, input, code);
    case ArgumentType::kLong:
      return each_record<ArgumentType::kLong>(which.arguments, input, code);
    case ArgumentType::kDouble:
      return each_record<ArgumentType::kDouble>(which.arguments, input, code);
    case ArgumentType::kString:
      return each_record<ArgumentType::kString>(which.arguments, input, code);
  }
}

// Section 8.2 of the source: a tag of 4 bits gives the number of bytes that follow, 9..15 after a
// negation. A record consists of the tags of id and time, the tags of its arguments except texts,
// then all their bytes, then the texts, each with a trailing 0. Doubles are stored unchanged.
struct NanoLogCode {
  std::byte* o;
  std::byte* tags = nullptr;
  unsigned shift = 0;

  void begin(std::uint32_t id, std::uint64_t ticks, unsigned numbers) {
    std::byte* const head = o;
    tags = head + 1;
    o = tags + (numbers + 1) / 2;
    shift = 0;
    const unsigned low = put_nanolog(id, o);
    *head = static_cast<std::byte>(low | put_nanolog(ticks, o) << 4);
  }
  void tag(unsigned value) {
    *tags = shift == 0 ? static_cast<std::byte>(value) : *tags | static_cast<std::byte>(value << 4);
    tags += shift / 4;
    shift ^= 4;
  }
  void number(std::uint64_t value) { tag(put_nanolog(value, o)); }
  void real(std::uint64_t bits) {
    store(o, bits);
    o += 8;
    tag(8);
  }
  void text(const std::byte* p, std::size_t bytes) {
    std::memcpy(o, p, bytes);
    o += bytes;
    *o++ = std::byte{0};
  }
  void end() {}
};

// 7 bits per byte; signed numbers in zigzag order, texts preceded by their length.
struct Leb128Code {
  std::byte* o;

  void begin(std::uint32_t id, std::uint64_t ticks, unsigned) {
    put_leb128(id, o);
    put_leb128(ticks, o);
  }
  void number(std::uint64_t value) {
    put_leb128(value << 1 ^ (std::uint64_t{0} - (value >> 63)), o);
  }
  void real(std::uint64_t bits) {
    store(o, bits);
    o += 8;
  }
  void text(const std::byte* p, std::size_t bytes) {
    put_leb128(bytes, o);
    std::memcpy(o, p, bytes);
    o += bytes;
  }
  void end() {}
};

template <class Code>
class SimpleCodec : public Codec {
 public:
  SimpleCodec(const StudyCase& which, const char* name) : which_(which), name_(name) {}
  std::string name() const override { return name_; }
  std::size_t encode(std::span<const std::byte> input, std::span<std::byte> out) override {
    Code code{out.data()};
    each_record(which_, input, code);
    return static_cast<std::size_t>(code.o - out.data());
  }

 private:
  StudyCase which_;
  const char* name_;
};

// consumerd's encoder, called as consumerd calls it: 64 KiB at a time, each an EXTENT block with
// its CRC.
class Ringside : public Codec {
 public:
  Ringside(const StudyCase& which, trace::EncoderKernels kernels, const char* name)
      : name_(name), encoder_(sites_, kernels) {
    constexpr shm::FieldType kTypes[] = {shm::FieldType::i32, shm::FieldType::i64,
                                         shm::FieldType::f64, shm::FieldType::string};
    shm::FieldDescription field;
    field.type = kTypes[static_cast<int>(which.type)];
    const std::vector<shm::FieldDescription> fields(which.arguments, field);
    shm::SiteDescription site;
    site.site_id = kStudySite;
    site.format = "message";
    Bytes entry(shm::site_entry_bytes(site, fields));
    shm::write_site_entry(site, fields, entry.data());
    sites_.add(entry, nullptr);
  }
  std::string name() const override { return name_; }
  std::size_t encode(std::span<const std::byte> input, std::span<std::byte> out) override {
    constexpr std::size_t kBatchBytes = 64 << 10;
    trace::StreamCursor cursor;
    cursor.last_tsc = kStudyStartTick;
    std::size_t written = 0;
    while (!input.empty()) {
      const auto batch = input.first(std::min(input.size(), kBatchBytes));
      const trace::EncodeResult r = encoder_.encode(batch, cursor, 0, 0, out.subspan(written));
      if (r.consumed_bytes == 0) break;
      written += r.output_bytes;
      input = input.subspan(r.consumed_bytes);
    }
    return written;
  }

 private:
  const char* name_;
  trace::SiteTable sites_;
  trace::ExtentEncoder encoder_;
};

}  // namespace

std::vector<std::unique_ptr<Codec>> record_codecs(const StudyCase& which) {
  std::vector<std::unique_ptr<Codec>> codecs;
  codecs.push_back(std::make_unique<Memcpy>());
  codecs.push_back(std::make_unique<SimpleCodec<NanoLogCode>>(which, "nanolog"));
  codecs.push_back(std::make_unique<SimpleCodec<Leb128Code>>(which, "leb128"));
  codecs.push_back(std::make_unique<Ringside>(which, trace::EncoderKernels::kBest, "ringside"));
  codecs.push_back(
      std::make_unique<Ringside>(which, trace::EncoderKernels::kPortable, "ringside_portable"));
  return codecs;
}

}  // namespace ringside::perf
