#pragma once
// A site's messages, whether its format is of use or not.

#include <memory>
#include <span>
#include <string>

#include "trace-format/message_text.hpp"
#include "trace-format/site_table.hpp"
#include "trace-format/text_sink.hpp"

namespace ringside::trace {

// Immutable: any number of threads may use it. Refers to nothing of the trace.
class SiteMessage {
 public:
  explicit SiteMessage(const Site& site);

  // Whether all records have the same text.
  bool is_fixed() const { return format_ == nullptr || format_->is_fixed(); }

  // What snprintf would have written; why not, if the format cannot be used.
  void append(TextSink& out, std::span<const Value> args) const;

  // Null if the format cannot be used.
  const std::shared_ptr<const MessageFormat>& format() const { return format_; }

 private:
  std::shared_ptr<const MessageFormat> format_;
  std::string refusal_;
};

}  // namespace ringside::trace
