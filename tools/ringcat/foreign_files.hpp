#pragma once
// Files of other formats among the paths of the subcommands, and what is reported about them.

#include <span>
#include <string>
#include <vector>

#include "tools/interop/foreign_inputs.hpp"
#include "tools/interop/include/ringside-interop/diagnostic.hpp"

namespace ringside::tool {

// Reports them on standard error. Returns the exit code that they mean.
int complain_of(std::span<const interop::Diagnostic> diagnostics);

// Replaces such files by paths that can be read as long as `inputs` lives; raises the limit of open
// files for that. If one cannot be read at all, reports the reason and returns false.
bool take_foreign_files(std::vector<std::string>& paths, const std::string& from,
                        ForeignInputs& inputs);

// The same for what senders send to `address`.
bool listen_for_senders(const std::string& address, const std::string& from,
                        std::vector<std::string>& paths, ForeignInputs& inputs);

}  // namespace ringside::tool
