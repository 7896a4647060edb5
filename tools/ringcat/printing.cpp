#include "tools/ringcat/printing.hpp"

#include <cerrno>
#include <csignal>
#include <poll.h>
#include <string>
#include <unistd.h>

#include "tools/query/standard_streams.hpp"

namespace ringside::tool {
namespace {

volatile std::sig_atomic_t stopped = 0;

// Without data to write, only this check detects that the reader of standard output is gone.
bool is_output_unread() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

}  // namespace

void stop_on_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { stopped = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool is_signalled() {
  return stopped != 0;
}

bool is_stopped() {
  return is_signalled() || is_output_unread();
}

Printing::Printing(const PrintOptions& options, const EventFilter& filter,
                   const trace::LineFormat& format)
    : filter_(filter), records_(filter) {
  text_options_ = {options.utc, options.threads};
  if (filter.looks_at_records()) {
    text_options_.wanted = [this](const trace::Event& event) { return records_.wanted(event); };
  }
  if (options.head) text_options_.most = *options.head;
  text_options_.last = options.tail;
  text_options_.format = &format;
  text_options_.clock_order = &clock_order_;
  text_options_.marks_order = options.mark_order;
}

bool Printing::write(std::string_view text) {
  if (write_output(text)) return true;
  failure_ = errno;
  return false;
}

int Printing::finish(bool whole, const trace::ReadReport& report) const {
  for (const std::string& note : filter_.notes()) complain(note);
  const std::string about_clocks = clock_order_.notice();
  if (!about_clocks.empty()) complain(about_clocks);
  return whole ? complain_of_damage(report) : exit_code_of_failed_output(failure_);
}

}  // namespace ringside::tool
