#pragma once
// A site's messages, even if its format cannot be used.

#include <memory>
#include <span>
#include <string>

#include "trace-format/codec/site_table.hpp"
#include "trace-format/text/message_text.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::trace {

// Immutable: any number of threads may use it. Does not refer to the trace.
class SiteMessage {
 public:
  explicit SiteMessage(const Site& site);

  // Whether all records have the same text.
  bool is_fixed() const { return format_ == nullptr || format_->is_fixed(); }

  // Appends the text that snprintf would write or, if the format cannot be used, the reason.
  void append(TextSink& out, std::span<const Value> args) const;

  // Null if the format cannot be used.
  const std::shared_ptr<const MessageFormat>& format() const { return format_; }

 private:
  std::shared_ptr<const MessageFormat> format_;
  std::string refusal_;
};

}  // namespace ringside::trace
