#pragma once
// The statements of segments and traces, for trying rules on them.

#include <functional>
#include <string>

#include "trace-format/codec/site_table.hpp"

namespace ringside::consumer {

using StatementVisitor =
    std::function<void(const std::string& service, const trace::Site& statement)>;

// Visits every statement that `path` describes: a segment, a trace file, or a directory of either.
// A statement of several processes or files is visited several times. Nothing is locked or changed.
// False with `*why` if part of it cannot be read, or if it is empty.
bool visit_statements(const std::string& path, const StatementVisitor& visit, std::string* why);

}  // namespace ringside::consumer
