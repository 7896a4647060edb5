#include "tools/ringcat/live_printing.hpp"

#include "tools/query/standard_streams.hpp"

namespace ringside::tool {

LiveView LivePrinting::view() {
  const bool needs_all = options_.tail.has_value() || !options_.conversion.format.empty();
  if (needs_all || !options_.segment.empty()) return {};
  return {[this](const std::vector<std::string>& paths) { return show(paths); },
          [] { return is_stopped(); }};
}

void LivePrinting::begin(const std::vector<std::string>& paths) {
  say_that_names_are_awaited(paths, asked_);
  // A collector has its own signals, and has set them up already.
  if (options_.listen.empty()) stop_on_signals();
  trace::ReadError error;
  constexpr unsigned kNoPatienceMs = 0;  // what is published is complete
  follower_ = trace::TraceFollower::open({}, filter_.read_options(), &error, kNoPatienceMs);
  printing_.emplace(options_, filter_, format_);
  text_.emplace(printing_->text_options(),
                [this](std::string_view text) { return printing_->write(text); });
}

void LivePrinting::add(const std::vector<std::string>& paths) {
  for (; known_paths_ < paths.size(); ++known_paths_) follower_->add(paths[known_paths_]);
}

bool LivePrinting::show(const std::vector<std::string>& paths) {
  if (!has_begun()) begin(paths);
  add(paths);
  follower_->wait(0);
  whole_ = text_->write_available(*follower_);
  return whole_ && !text_->is_done();
}

int LivePrinting::finish(const std::vector<std::string>& paths) {
  if (whole_) {
    add(paths);
    follower_->finish();
    whole_ = text_->write_available(*follower_);
  }
  return printing_->finish(whole_, follower_->report());
}

}  // namespace ringside::tool
