#pragma once
// What consumerd is to do when something happens in a service: a rule of the configuration.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shm-layout/level.hpp"
#include "trace-format/condition/statement_pattern.hpp"
#include "trace-format/condition/where_expression.hpp"

namespace ringside::consumer {

struct TriggerRule {
  enum class Cause : std::uint8_t { kRecord, kLoss, kServiceDeath };

  std::string name;  // unique, for logs and metrics
  Cause cause = Cause::kRecord;
  std::vector<std::string> services;   // globs of those that set it off; empty: any
  std::string where;                   // kRecord: condition of trace-format/condition; empty: any
  trace::StatementPattern statements;  // kRecord: of these statements only
  std::uint64_t losses_at_least = 1;   // kLoss: so many new ones within one look
  std::chrono::milliseconds pause{60'000};  // not again within this time

  bool snapshot = false;                    // flight recorders (policy overwrite) of all services
  std::vector<std::string> hook;            // program and arguments; empty: none
  std::optional<shm::Level> level;          // let in from this level on ...
  std::vector<std::string> level_services;  // ... by these services (globs; empty: by the one that
                                            // set it off) ...
  std::chrono::milliseconds level_for{0};   // ... for so long

  std::shared_ptr<const trace::WhereExpression> condition;  // what `where` says; by prepare()

  // Once filled in. False with `*why` if something in it is not sound.
  bool prepare(std::string* why);

  bool is_for(const std::string& service) const;
};

}  // namespace ringside::consumer
