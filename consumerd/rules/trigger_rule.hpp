#pragma once
// What consumerd does when an event occurs in a service: a rule of the configuration.

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
  std::vector<std::string> services;   // globs of the services that set it off; empty: any
  std::string where;                   // kRecord: condition of trace-format/condition; empty: any
  trace::StatementPattern statements;  // kRecord: of these statements only
  std::uint64_t losses_at_least = 1;   // kLoss: at least this many new losses between two checks
  std::chrono::milliseconds pause{60'000};  // minimum time between two firings

  bool snapshot = false;            // of flight recorders (policy overwrite) of all services
  std::vector<std::string> hook;    // program and arguments; empty: none
  std::optional<shm::Level> level;  // enables statements from this level on ...
  std::vector<std::string>
      level_services;  // ... of these services (globs; empty: of the one that set it off) ...
  std::chrono::milliseconds level_for{0};  // ... for this time

  std::shared_ptr<const trace::WhereExpression>
      condition;  // the condition in `where`; set by prepare()

  // Call when the rule is complete. False with `*why` if part of it is invalid.
  bool prepare(std::string* why);

  bool is_for(const std::string& service) const;
};

}  // namespace ringside::consumer
