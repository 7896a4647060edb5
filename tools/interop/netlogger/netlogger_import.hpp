#pragma once
// Converts one sender's binary messages to records.

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/interop/netlogger/netlogger_fields.hpp"
#include "tools/interop/netlogger/netlogger_messages.hpp"

namespace ringside::tool::netlogger {

class SenderImport {
 public:
  SenderImport(FieldImport& fields, std::string name)
      : fields_(fields), sender_(fields.add_sender(std::move(name))) {}

  // Takes whole messages from the front of `bytes` and returns their size. The rest is the
  // beginning of a message, unless damaged().
  std::size_t take(std::span<const std::byte> bytes);

  // Why nothing more can be read from this sender; empty if it can.
  const std::string& damage() const { return damage_; }
  // The number of bytes needed to continue with the message that has begun.
  std::size_t wanted() const { return decoder_.wanted(); }
  std::size_t definitions() const { return decoder_.definitions(); }
  std::size_t definition_bytes() const { return decoder_.definition_bytes(); }
  std::uint64_t headers() const { return headers_; }
  std::uint64_t bad() const { return bad_; }
  std::uint64_t unknown() const { return unknown_; }

 private:
  void add(const Message& message);
  void forget(const Definition* definition);

  // The state of an identifier: its definition, and the types of the last body that used it.
  struct Known {
    std::vector<FieldValue> fields;
    const Shape* shape = nullptr;
  };

  FieldImport& fields_;
  std::uint32_t sender_;
  Decoder decoder_;
  Message message_;
  std::unordered_map<std::uint32_t, Known> known_;  // by identifier
  Known* last_ = nullptr;
  std::uint32_t last_identifier_ = 0;
  std::uint64_t headers_ = 0;
  std::uint64_t bad_ = 0;
  std::uint64_t unknown_ = 0;
  std::string damage_;
};

}  // namespace ringside::tool::netlogger
