#pragma once
// The form of messages that systemd's journal reads: sd-daemon(3).

#include <string_view>

namespace ringside::consumer {

// Whether the journal reads what is written to `fd` (JOURNAL_STREAM).
bool leads_to_journal(int fd);

// What precedes a line in the journal, by the level of Log: "<3>" for "error".
std::string_view journal_prefix(std::string_view level);

}  // namespace ringside::consumer
