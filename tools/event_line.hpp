#pragma once
// One event of a trace as one line of text.

#include <memory>
#include <string>
#include <unordered_map>

#include "tools/wall_clock_text.hpp"
#include "trace-format/message_text.hpp"
#include "trace-format/trace_event.hpp"

namespace ringside::tool {

class EventLine {
 public:
  explicit EventLine(bool utc) : clock_(utc) {}

  // Appends the line, with its newline.
  void append(std::string& out, const trace::Event& event);

 private:
  // What every line of a site has in common, made at the site's first record.
  struct SiteText {
    std::string context;  // " file:line LEVEL ["
    std::optional<trace::MessageFormat> format;
    std::string refusal;  // why the format cannot be used
  };
  const SiteText& text_of(const trace::Site& site);
  void append_thread(std::string& out, const trace::StreamInfo* stream);
  void append_loss(std::string& out, const trace::Event& event);

  WallClockText clock_;
  std::unordered_map<const trace::Site*, std::unique_ptr<SiteText>> sites_;
  const trace::Site* last_site_ = nullptr;
  const SiteText* last_text_ = nullptr;
};

}  // namespace ringside::tool
