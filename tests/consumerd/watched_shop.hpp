#pragma once
// A service whose records are checked against rules of triggers.

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "consumerd/triggers/trigger_watch.hpp"
#include "tests/trace-format/ring_bytes.hpp"

namespace ringside::consumer_test {

using namespace trace::testing;
using consumer::TriggerRule;
using shm::FieldType;

inline TriggerRule record_rule(const std::string& where, const std::string& name = "rule") {
  TriggerRule rule;
  rule.name = name;
  rule.where = where;
  rule.pause = std::chrono::milliseconds(0);
  rule.snapshot = true;
  return rule;
}

inline std::string refusal(TriggerRule rule) {
  std::string why;
  return rule.prepare(&why) ? "" : why;
}

// A service "shop" with a watch for `rules`.
class Shop {
 public:
  explicit Shop(std::vector<TriggerRule> rules) {
    std::string why;
    for (TriggerRule& rule : rules) EXPECT_TRUE(rule.prepare(&why)) << why;
    triggers_.set_rules(std::move(rules));
    watch_ = consumer::TriggerWatch::of_service(
        triggers_, {"ringside.shop.17.x", "shop", 17, 1'000'000'000}, log_);
    std::strcpy(owner_.thread_name, "worker-2");
    owner_.thread_id = 4711;
  }

  Shop& knows(const TestSite& site) {
    std::string why;
    EXPECT_TRUE(sites_.add(site_entry(site), &why)) << why;
    return *this;
  }
  Shop& knows_enum(std::uint32_t id, std::int64_t value, const std::string& name) {
    std::string why;
    EXPECT_TRUE(sites_.add(enum_entry(id, {{value, name}}), &why)) << why;
    return *this;
  }

  // The code of the processor that the next record ran on.
  std::uint32_t processor() const { return stream_.processor; }

  bool looks() { return watch_ != nullptr && watch_->concerns(sites_); }

  // "rule place message" of each rule that fires on these records.
  std::vector<std::string> fired(const std::string& ring) {
    std::vector<std::string> lines;
    if (!looks()) return lines;
    sound_ = true;
    looked_bytes_ = watch_->look(sites_, as_bytes(ring), owner_, pass_.get(), stream_, &sound_);
    while (const auto firing = triggers_.next()) {
      lines.push_back(firing->rule->name + " " + firing->statement + " " + firing->message);
    }
    return lines;
  }

  void hide(const std::string& field) {
    auto rules = std::make_shared<consumer::RecordRules>();
    rules->redactions.push_back({{}, {}, {}, {field}});
    pass_ = consumer::RecordPass::of_service(rules, "shop", 1'000'000'000, log_);
  }

  consumer::TriggerQueue& triggers() { return triggers_; }
  bool sound() const { return sound_; }
  std::size_t looked_bytes() const { return looked_bytes_; }

 private:
  consumer::Log log_;
  consumer::TriggerQueue triggers_;
  trace::SiteTable sites_;
  std::unique_ptr<consumer::TriggerWatch> watch_;
  std::unique_ptr<consumer::RecordPass> pass_;
  consumer::RingOwner owner_;
  consumer::WatchedStream stream_;
  bool sound_ = true;
  std::size_t looked_bytes_ = 0;
};

using Lines = std::vector<std::string>;

inline const TestSite kFilled{.id = 10,
                              .fields = {{.type = FieldType::i32, .name = "order.id"},
                                         {.type = FieldType::f64, .name = "price"},
                                         {.type = FieldType::string, .name = "side"}},
                              .format = "order %d filled at %.1f side %s",
                              .category = "orders",
                              .file = "src/orders.cpp"};
inline const TestSite kQueue{.id = 11,
                             .fields = {{.type = FieldType::u64, .name = "length"}},
                             .format = "queue length %lu",
                             .level = shm::Level::kWarning,
                             .file = "src/queues.cpp"};

inline std::string filled(std::int32_t id, double price, const std::string& side) {
  return plain_record(10, 0, raw(id) + raw(price) + raw_text(side));
}
inline std::string queue(std::uint64_t length) {
  return plain_record(11, 0, raw(length));
}

}  // namespace ringside::consumer_test
