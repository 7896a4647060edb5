#include "consumerd/log/journal.hpp"

#include <cstdlib>
#include <string>

#include <sys/stat.h>

namespace ringside::consumer {

bool leads_to_journal(int fd) {
  const char* const stream = std::getenv("JOURNAL_STREAM");  // NOLINT(concurrency-mt-unsafe)
  struct stat info {};
  // The variable is inherited; the descriptor may have been redirected since.
  return stream != nullptr && fstat(fd, &info) == 0 &&
         stream == std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino);
}

std::string_view journal_prefix(std::string_view level) {
  if (level == "error") return "<3>";
  return level == "notice" ? "<5>" : "<6>";
}

}  // namespace ringside::consumer
