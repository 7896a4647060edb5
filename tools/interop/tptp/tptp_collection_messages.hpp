#pragma once
// Writes what was collected as `option` and `filter` messages.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tools/interop/collected_span.hpp"
#include "tools/interop/tptp/tptp_encoder.hpp"
#include "tools/interop/tptp/tptp_message.hpp"

namespace ringside::tool::tptp {

// Not thread-safe.
class CollectionMessages {
 public:
  using NumberOf = std::function<std::uint32_t(const trace::Site&)>;

  explicit CollectionMessages(Encoder& encoder) : encoder_(encoder) {}

  // `trace_id`: of the process. `number_of` gives a statement its number, and writes its definition
  // if that has not happened.
  void write(std::string_view trace_id, const trace::CollectedSegment& segment,
             const trace::CollectedSpan& span, const NumberOf& number_of);

 private:
  void put_option(std::string_view trace_id, std::string_view key, std::string_view value);
  void put_filter(std::string_view trace_id, const trace::Site& site, std::string_view mode);

  Encoder& encoder_;
  Message message_;
};

}  // namespace ringside::tool::tptp
