#include "tools/fleet/contents_requests.hpp"

#include "tools/fleet/content_hash.hpp"

namespace ringside::fleet {

void ContentsRequests::ask(const std::string& subject, const std::string& key) {
  constexpr std::size_t kMostKeys = 1000;
  // Hosts keep dictionaries only.
  if (key.empty() || key.starts_with(kBodyKeyPrefix)) return;
  if (asked_ms_.size() >= kMostKeys) asked_ms_.clear();
  const auto [asked, is_new] = asked_ms_.try_emplace(key, now_ms_());
  if (!is_new && now_ms_() - asked->second < pause_ms_) return;
  asked->second = now_ms_();
  if (is_new) complain_("the bucket has no contents " + key + "; asking the host for them");
  queue_.request_contents(subject, key);
}

}  // namespace ringside::fleet
