#pragma once
// Makes NetTrace files for tests, byte by byte, valid and invalid ones.

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::tool::nettrace {

template <class Number>
void put(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

inline std::string utf16(std::string_view ascii) {
  std::string text;
  for (const char c : ascii) text += {c, '\0'};
  return text + std::string(2, '\0');
}

class FileMaker {
 public:
  explicit FileMaker(std::int32_t version = 4, std::int32_t min_reader_version = 4) {
    bytes_ = "Nettrace";
    put(bytes_, std::uint32_t{20});
    bytes_ += "!FastSerialization.1";
    begin("Trace", version, min_reader_version);
    for (const int part : {2024, 2, 4, 29, 12, 34, 56, 789}) {
      put(bytes_, static_cast<std::uint16_t>(part));
    }
    put(bytes_, std::int64_t{1000});        // tick at this time
    put(bytes_, std::int64_t{10'000'000});  // ticks per second
    for (const std::int32_t number : {8, 4242, 4, 0}) put(bytes_, number);
    end();
  }

  void begin(std::string_view type, std::int32_t version = 2, std::int32_t min_reader_version = 2) {
    bytes_ += "\x05\x05\x01";
    put(bytes_, version);
    put(bytes_, min_reader_version);
    put(bytes_, static_cast<std::uint32_t>(type.size()));
    bytes_ += type;
    bytes_ += '\x06';
  }
  void end() { bytes_ += '\x06'; }
  void raw(std::string_view bytes) { bytes_ += bytes; }

  // An object that is a block of `body`, followed by `tagged` fields.
  void block(std::string_view type, std::string_view body, std::string_view tagged = {},
             std::int32_t version = 2, std::int32_t min_reader_version = 2) {
    begin(type, version, min_reader_version);
    put(bytes_, static_cast<std::uint32_t>(body.size()));
    while (bytes_.size() % 4 != 0) bytes_ += '\0';
    bytes_ += body;
    bytes_ += tagged;
    end();
  }

  // With the null reference at the end.
  std::string whole() const { return bytes_ + '\x01'; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// The body of an event or metadata block with compressed headers.
inline std::string blob_block(std::string_view blobs, std::string_view more_header = {}) {
  std::string body;
  put(body, static_cast<std::uint16_t>(20 + more_header.size()));
  put(body, std::uint16_t{1});
  put(body, std::uint64_t{0});
  put(body, UINT64_MAX);
  body += more_header;
  body += blobs;
  return body;
}

inline std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  return bytes + static_cast<char>(number);
}

// A compressed event with every field except activities and a stack.
inline std::string event_blob(std::uint32_t metadata_id, std::uint32_t sequence_step,
                              std::uint64_t thread, std::uint64_t time_step,
                              std::string_view payload, std::uint32_t stack_id = 0) {
  return "\x8f" + varint(metadata_id) + varint(sequence_step) + varint(thread) + varint(2) +
         varint(thread) + varint(stack_id) + varint(time_step) + varint(payload.size()) +
         std::string(payload);
}

// The head of a metadata record; its fields and tags follow.
inline std::string metadata_head(std::uint32_t id, std::string_view provider,
                                 std::uint32_t event_id, std::string_view name) {
  std::string payload;
  put(payload, id);
  payload += utf16(provider);
  put(payload, event_id);
  payload += utf16(name);
  put(payload, std::uint64_t{0xF00D});
  put(payload, std::uint32_t{3});  // version
  put(payload, std::uint32_t{4});  // level
  return payload;
}

inline std::string metadata_blob(std::string_view payload) {
  return '\x80' + varint(0) + varint(payload.size()) + std::string(payload);
}

inline std::string number(std::uint32_t value) {
  std::string bytes;
  put(bytes, value);
  return bytes;
}

inline std::string tag(std::uint8_t kind, std::string_view payload) {
  return number(static_cast<std::uint32_t>(payload.size())) + static_cast<char>(kind) +
         std::string(payload);
}

// `type` is a type code and its parameters.
inline std::string v1_field(std::string_view name, std::string_view type) {
  return std::string(type) + utf16(name);
}
inline std::string v2_field(std::string_view name, std::string_view type,
                            std::string_view padding = {}) {
  std::string field = utf16(name) + std::string(type) + std::string(padding);
  return number(static_cast<std::uint32_t>(field.size() + 4)) + field;
}

}  // namespace ringside::tool::nettrace
