#include "tools/fleet/contents_requests.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tools/fleet/content_hash.hpp"

namespace ringside::fleet {
namespace {

// Keeps what hosts are asked for.
class AskedQueue : public DeliveryQueue {
 public:
  std::optional<Delivery> next(int /*timeout_ms*/) override { return std::nullopt; }
  void acknowledge(std::uint64_t /*token*/) override {}
  void postpone(std::uint64_t /*token*/) override {}
  bool store_dead_letter(const StoredMessage& /*message*/, const std::string& /*why*/) override {
    return false;
  }
  Fetched fetch_contents(std::string_view /*key*/, Bytes& /*contents*/) override {
    return Fetched::kMissing;
  }
  void request_contents(const std::string& /*subject*/, const std::string& key) override {
    asked.push_back(key);
  }

  std::vector<std::string> asked;
};

TEST(ContentsRequests, HostsAreAskedForDictionariesOnly) {
  AskedQueue queue;
  std::uint64_t now_ms = 0;
  ContentsRequests requests(
      queue, 1000, [&now_ms] { return now_ms; }, [](const std::string&) {});
  const ContentHash hash{1};
  requests.ask("subject", "");
  requests.ask("subject", body_key(hash));
  EXPECT_TRUE(queue.asked.empty());
  requests.ask("subject", hash_key(hash));
  requests.ask("subject", hash_key(hash));
  EXPECT_EQ(queue.asked, std::vector{hash_key(hash)});
  now_ms = 1000;
  requests.ask("subject", hash_key(hash));
  EXPECT_EQ(queue.asked.size(), 2U);
}

}  // namespace
}  // namespace ringside::fleet
