#include "trace-format/lines/line_text.hpp"

#include <functional>
#include <utility>

#include "trace-format/lines/line_format.hpp"

namespace ringside::trace {
namespace {

constexpr std::size_t kMaxTexts = 65'536;

}  // namespace

std::size_t LineTexts::KeyHash::operator()(const Key& key) const {
  constexpr std::size_t kOdd = 0x9E3779B97F4A7C15;
  const std::size_t site = std::hash<const void*>()(key.site) ^ key.section;
  return (site * kOdd ^ std::hash<const void*>()(key.stream)) * kOdd >> 32;
}

const std::shared_ptr<const LineText>& LineTexts::of(const Event& event) {
  if (event.kind == EventKind::kLoss) return loss_ = format_.line_of_loss(event);
  const std::uint32_t revision = event.stream == nullptr ? 0 : event.stream->revision;
  const Key key{event.record.site, event.stream, event.section, revision};
  const Pair& pair = places_of(key);
  for (const Recent& recent : pair) {
    if (recent.key == key && recent.text != nullptr) [[likely]]
      return recent.text;
  }
  return find(key, event);
}

const LineTexts::Text& LineTexts::find(const Key& key, const Event& event) {
  // Texts of sections that have ended are dropped occasionally, together with the others; those in
  // use are created again.
  if (texts_.size() >= kMaxTexts) {
    recent_.assign(kLeastRecent, {});
    texts_.clear();
    messages_.clear();
  }
  Text& text = texts_[key];
  if (text == nullptr) text = format_.lines_of(event, message_of(event));
  if (recent_.size() < 2 * texts_.size()) {
    recent_.assign(2 * recent_.size(), {});
    for (const auto& [known, its_text] : texts_) keep(known, its_text);
  }
  return keep(key, text);
}

const LineTexts::Text& LineTexts::keep(const Key& key, const Text& text) {
  Pair& pair = places_of(key);
  if (pair[0].text != nullptr) std::swap(pair[0], pair[1]);
  pair[0] = {key, text};
  return pair[0].text;
}

const SiteMessage& LineTexts::message_of(const Event& event) {
  const Key key{event.record.site, nullptr, event.section, 0};
  return messages_.try_emplace(key, *event.record.site).first->second;
}

}  // namespace ringside::trace
