#include "tools/ringcat/foreign_files.hpp"

#include <algorithm>

#include <sys/resource.h>

#include "tools/query/exit_codes.hpp"
#include "tools/query/standard_streams.hpp"

namespace ringside::tool {
namespace {

// Each imported file stays open twice, so this raises the limit as far as the system permits.
void allow_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

int exit_code_of(interop::Severity severity) {
  switch (severity) {
    case interop::Severity::kNote:
      return kExitOk;
    case interop::Severity::kDamage:
      return kExitDamaged;
    case interop::Severity::kError:
      break;
  }
  return kExitUnreadable;
}

}  // namespace

int complain_of(std::span<const interop::Diagnostic> diagnostics) {
  int exit_code = kExitOk;
  for (const interop::Diagnostic& diagnostic : diagnostics) {
    complain(diagnostic.text());
    exit_code = std::max(exit_code, exit_code_of(diagnostic.severity));
  }
  return exit_code;
}

bool take_foreign_files(std::vector<std::string>& paths, const std::string& from,
                        ForeignInputs& inputs) {
  allow_open_files();
  if (inputs.take(paths, from)) return true;
  complain_of(inputs.diagnostics());
  return false;
}

bool listen_for_senders(const std::string& address, const std::string& from,
                        std::vector<std::string>& paths, ForeignInputs& inputs) {
  const auto report_now = [](const interop::Diagnostic& diagnostic) {
    complain(diagnostic.text());
  };
  if (inputs.listen(address, from, paths, report_now)) return true;
  complain_of(inputs.diagnostics());
  return false;
}

}  // namespace ringside::tool
