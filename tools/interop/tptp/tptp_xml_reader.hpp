#pragma once
// The structure of a TPTP trace in XML (.trcxml).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tools/interop/input_bytes.hpp"
#include "tools/interop/tptp/tptp_message.hpp"

namespace ringside::tool::tptp {

// Whether the first element is TRACE, or a message, as in a stream without a surrounding document.
bool recognise_xml(std::span<const std::byte> first_bytes);

// Memory: a tag and the text between two tags, at most kMostTokenBytes, and the messages of 64 KiB.
// Declarations of entities, and of document types that could have some, are rejected.
class XmlReader final : public MessageReader {
 public:
  static constexpr std::size_t kMostTokenBytes = std::size_t{16} << 20;

  explicit XmlReader(InputBytes& input);
  ~XmlReader() override;

  Step next(Message& message) override;

 private:
  struct Parsing;

  InputBytes& input_;
  std::unique_ptr<Parsing> parsing_;
};

}  // namespace ringside::tool::tptp
