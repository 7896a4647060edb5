#pragma once
// One event of a trace as one line of text.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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
  // A site's address means something within its section only, see trace::Event::section.
  struct SiteKey {
    const trace::Site* site = nullptr;
    std::uint32_t section = 0;
    bool operator==(const SiteKey&) const = default;
  };
  struct SiteKeyHash {
    std::size_t operator()(const SiteKey& key) const {
      return std::hash<const void*>()(key.site) ^ key.section * std::size_t{0x9E3779B97F4A7C15};
    }
  };
  const SiteText& text_of(const trace::Event& event);
  void append_thread(std::string& out, const trace::StreamInfo* stream);
  void append_loss(std::string& out, const trace::Event& event);

  WallClockText clock_;
  std::unordered_map<SiteKey, std::unique_ptr<SiteText>, SiteKeyHash> sites_;
  SiteKey last_site_;
  const SiteText* last_text_ = nullptr;
};

}  // namespace ringside::tool
