#pragma once
// What a session records, and where to: the contents of its request.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shm-layout/level.hpp"
#include "shm-layout/session_file.hpp"
#include "trace-format/condition/statement_pattern.hpp"
#include "trace-format/condition/where_expression.hpp"

namespace ringside::consumer {

struct SessionSpec {
  std::string name;
  shm::SessionUuid uuid{};
  std::vector<std::string> services;  // globs; empty: all
  std::uint64_t pid = 0;              // of the process, as seen by itself; 0: any
  trace::StatementPattern statements;
  // Statements below it are left out. Statements of this level and severer ones that are disabled
  // are enabled for the session. Empty: any level, and no statement is enabled.
  std::optional<shm::Level> level;
  std::string where;               // condition on records; empty: any record
  std::string output_dir;          // absolute
  std::uint64_t end_unix_ns = 0;   // 0: until it is stopped
  std::uint64_t rotate_bytes = 0;  // a file that has as many is followed by another; 0: never
  std::uint64_t buffer_bytes = 0;  // for data on its way to the disk; 0: the default
  std::shared_ptr<const trace::WhereExpression> condition;  // the one in `where`

  // Reads a request. Returns nothing, with `*why` (what, and the remedy), if any part is invalid.
  // `name`: the session's name, from the name of the file.
  static std::optional<SessionSpec> parse(std::string_view text, std::string_view name,
                                          std::string* why);

  // Of its text form; false if it is not one.
  static bool parse_uuid(std::string_view text, shm::SessionUuid* uuid);

  bool is_for(const std::string& service, std::uint32_t pid_of_service) const;
  // Whether the session wants records of the statement, as far as its description decides.
  bool wants(const trace::Site& site) const;
};

}  // namespace ringside::consumer
