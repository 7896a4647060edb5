// Statements of texts whose places are only known at run time.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "libagent/description/text_hash.hpp"
#include "libagent/include/ringside/text_place.h"
#include "libagent/process/reentry_guard.hpp"
#include "libagent/process/slow_call.hpp"
#include "libagent/recording/agent.hpp"
#include "libagent/recording/loss_count.hpp"
#include "libagent/recording/signals_blocked.hpp"
#include "libagent/recording/statement_registry.hpp"
#include "shm-layout/field_type.hpp"

namespace ringside {
namespace {

constexpr std::size_t kMostTextBytes = 4096;  // of a file, a function or a category
constexpr std::uint32_t kMostPlaces = 4096;
constexpr std::uint8_t kTextType = static_cast<std::uint8_t>(shm::FieldType::string);
constexpr rs_signature kOneText = {&kTextType, nullptr, 1, 1};

struct TextPlace {
  std::string_view file;
  std::string_view function;
  std::string_view category;
  std::uint32_t line = 0;
  std::uint8_t level = RS_LEVEL_INFO;

  bool operator==(const TextPlace&) const = default;

  std::uint64_t hash() const {
    const std::uint64_t numbers = std::uint64_t{line} << 8 | level;
    return mixed_in(category, mixed_in(function, mixed_in(file, mixed(0, numbers))));
  }
  std::size_t text_bytes() const { return file.size() + function.size() + category.size() + 3; }
};

struct TextStatement {
  TextPlace place;  // its texts are in `texts`
  std::unique_ptr<char[]> texts;
  rs_site_detail detail{};
  rs_site site{};
  TextStatement* next = nullptr;
};

// They are only added, with the slow-path lock held, so readers need no lock.
constinit std::array<std::atomic<TextStatement*>, 1024> buckets{};
constinit std::atomic<std::uint32_t> statement_count{0};

std::string_view limited(const char* text) {
  if (text == nullptr) return {};
  return {text, strnlen(text, kMostTextBytes)};
}

TextPlace read_place(const rs_text_place& given) {
  TextPlace place;
  place.file = limited(given.file);
  place.function = limited(given.function);
  if (given.category != nullptr) {
    place.category = {given.category, std::min<std::size_t>(given.category_bytes, kMostTextBytes)};
  }
  place.line = given.line;
  place.level = std::clamp<std::uint8_t>(given.level, RS_LEVEL_TRACE, RS_LEVEL_CRITICAL);
  return place;
}

TextStatement* find(TextStatement* first, const TextPlace& place) {
  for (; first != nullptr; first = first->next) {
    if (first->place == place) return first;
  }
  return nullptr;
}

// Null if there is no memory.
std::unique_ptr<TextStatement> make_statement(const TextPlace& place) {
  std::unique_ptr<TextStatement> statement(new (std::nothrow) TextStatement);
  if (!statement) return nullptr;
  statement->texts.reset(new (std::nothrow) char[place.text_bytes()]);
  if (!statement->texts) return nullptr;
  char* at = statement->texts.get();
  const auto keep = [&at](std::string_view text) {
    const std::string_view copy(at, text.size());
    *std::copy(text.begin(), text.end(), at) = '\0';
    at += text.size() + 1;
    return copy;
  };
  TextPlace& kept = statement->place;
  kept = place;
  kept.file = keep(place.file);
  kept.function = keep(place.function);
  kept.category = keep(place.category);
  statement->detail.category = kept.category.data();
  rs_site& site = statement->site;
  site.state = &rs_initial_switch;
  site.format = "{}";
  site.file = kept.file.data();
  site.function = kept.function.data();
  site.arguments = "\"{}\", text";
  site.signature = &kOneText;
  site.level = place.level;
  site.style = RS_STYLE_BRACE;
  site.line = place.line;
  site.detail = &statement->detail;
  return statement;
}

TextStatement* add(std::atomic<TextStatement*>& bucket, const TextPlace& place) {
  if (ReentryGuard::is_active()) return nullptr;
  const SlowCall call;
  const SignalsBlocked blocked;
  const ReentryGuard guard;
  auto statement = make_statement(place);
  if (!statement) return nullptr;
  const SlowPathLock lock;
  TextStatement* const first = bucket.load(std::memory_order_relaxed);
  // Another thread may have added it since.
  if (TextStatement* const known = find(first, place)) return known;
  statement_count.fetch_add(1, std::memory_order_relaxed);
  statement->next = first;
  // Known to the agent before any thread can register it, so that a fork finds and forgets it.
  add_statement(agent(), statement->site, false);
  // Pairs with the acquire in statement_of().
  bucket.store(statement.get(), std::memory_order_release);
  return statement.release();
}

TextStatement* statement_of(const TextPlace& place) {
  std::atomic<TextStatement*>& bucket = buckets[place.hash() % buckets.size()];
  // Pairs with the release in add().
  if (TextStatement* const known = find(bucket.load(std::memory_order_acquire), place)) {
    return known;
  }
  const bool has_place =
      !(place.file.empty() && place.function.empty() && place.category.empty() && place.line == 0);
  if (has_place && statement_count.load(std::memory_order_relaxed) >= kMostPlaces) {
    TextPlace shared;
    shared.level = place.level;
    return statement_of(shared);
  }
  return add(bucket, place);
}

}  // namespace
}  // namespace ringside

rs_site* rs_text_site(const rs_text_place* place) {
  ringside::TextStatement* const statement = ringside::statement_of(ringside::read_place(*place));
  if (statement != nullptr) return &statement->site;
  ringside::count_refusal(nullptr, ringside::shm::LossCause::kNoSharedMemory);
  return nullptr;
}
