// Which records fire triggers whose conditions are on fields of contexts.
#include <string>

#include <gtest/gtest.h>

#include "watched_shop.hpp"

namespace ringside::consumer_test {
namespace {

// Statements of contexts: a user and a tenant, a tenant of another type, and none.
const TestSite kUser{.id = 20,
                     .fields = {{.type = FieldType::u64, .name = "user"},
                                {.type = FieldType::string, .name = "tenant"}},
                     .kind = shm::SiteKind::kContext};
const TestSite kTenant{.id = 21,
                       .fields = {{.type = FieldType::u64, .name = "tenant"}},
                       .kind = shm::SiteKind::kContext};
const TestSite kNone{.id = 22, .kind = shm::SiteKind::kContext};

std::string user(std::uint64_t id, const std::string& tenant) {
  return plain_record(20, 0, raw(id) + raw_text(tenant));
}
std::string tenant(std::uint64_t id) {
  return plain_record(21, 0, raw(id));
}
std::string no_context() {
  return plain_record(22, 0);
}

TEST(TriggerContext, ComparesFieldsOfTheContext) {
  Shop shop({record_rule("user == 7 && length > 1 && tenant == 'acme'")});
  shop.knows(kFilled).knows(kQueue);
  EXPECT_FALSE(shop.looks()) << "no context has these fields";
  shop.knows(kUser).knows(kTenant).knows(kNone);
  const Lines fifth{"rule queues.cpp:110 queue length 5"};
  EXPECT_EQ(shop.fired(queue(2) + user(8, "acme") + queue(3) + user(7, "other") + queue(4)),
            Lines{});
  EXPECT_EQ(shop.fired(user(7, "acme") + filled(1, 2, "B") + queue(1) + queue(5)), fifth);
  EXPECT_EQ(shop.fired(queue(5)), fifth) << "it holds until the next one";
  EXPECT_EQ(shop.fired(no_context() + queue(5)), Lines{});
  EXPECT_EQ(shop.fired(user(7, "acme") + tenant(7) + queue(5)), Lines{}) << "it has no user";
}

TEST(TriggerContext, ComparesFieldsOfTheStatementBeforeThoseOfTheContext) {
  Shop shop({record_rule("tenant == 5")});
  shop.knows({.id = 9, .fields = {{FieldType::u64, "tenant"}}}).knows(kQueue);
  shop.knows(kUser).knows(kTenant);
  const auto own = [](std::uint64_t value) { return plain_record(9, 1, raw(value)); };
  EXPECT_EQ(shop.fired(tenant(5) + own(4)).size(), 0U);
  EXPECT_EQ(shop.fired(tenant(4) + own(5)).size(), 1U);
  EXPECT_EQ(shop.fired(tenant(5) + queue(1)).size(), 1U);
  EXPECT_EQ(shop.fired(user(5, "5") + queue(1)).size(), 0U) << "a text";
}

TEST(TriggerContext, HiddenValuesOfContextsAreCompared) {
  Shop shop({record_rule("tenant == 'secret'")});
  shop.knows(kQueue).knows(kUser);
  shop.hide("tenant");
  EXPECT_EQ(shop.fired(user(1, "known") + queue(1) + user(1, "secret") + queue(2)),
            Lines{"rule queues.cpp:110 queue length 2"});
}

}  // namespace
}  // namespace ringside::consumer_test
