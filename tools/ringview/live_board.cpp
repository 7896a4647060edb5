#include "tools/ringview/live_board.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace ringside::tool {
namespace {

using nlohmann::json;

constexpr std::size_t kMostNamed = 5;

std::string printed(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json unreadable_json(const std::vector<UnreadableFile>& files) {
  json named = json::array();
  for (std::size_t i = 0; i < std::min(files.size(), kMostNamed); ++i)
    named.push_back({{"path", files[i].path}, {"why", files[i].why}});
  return {{"count", files.size()}, {"first", std::move(named)}};
}

json services_json(const std::vector<LiveService>& services) {
  json all = json::array();
  for (const LiveService& each : services)
    all.push_back({{"service", each.service}, {"pid", each.pid}});
  return all;
}

}  // namespace

std::string live_members(const LiveState& state) {
  json live{{"number", state.data_number},
            {"reading", state.is_reading},
            {"read_unix_ms", nullptr},
            {"took_ms", state.took_ms},
            {"update_ms", state.update_ms},
            {"error", state.error},
            {"unreadable", unreadable_json(state.unreadable)},
            {"segments", services_json(state.from_segments)},
            {"selection", state.selection}};
  if (state.read_unix_ms) live["read_unix_ms"] = *state.read_unix_ms;
  std::string text = printed(live);
  text.pop_back();
  return text.substr(1) + ",\"services\":" + state.services.services +
         ",\"call_costs\":" + state.services.call_costs;
}

LiveBoard::LiveBoard() : newest_(std::make_shared<LiveState>()) {}

std::shared_ptr<const LiveState> LiveBoard::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

std::shared_ptr<const LiveState> LiveBoard::after(std::uint64_t number,
                                                  std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mutex_);
  const bool has_news =
      news_.wait_for(lock, timeout, [&] { return ends_ || newest_->number > number; });
  return has_news && !ends_ ? newest_ : nullptr;
}

void LiveBoard::change(const std::function<void(LiveState&)>& change) {
  {
    const std::lock_guard lock(mutex_);
    auto next = std::make_shared<LiveState>(*newest_);
    change(*next);
    ++next->number;
    newest_ = std::move(next);
  }
  news_.notify_all();
}

void LiveBoard::end() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  news_.notify_all();
}

bool LiveBoard::pause(std::chrono::steady_clock::duration time) const {
  std::unique_lock lock(mutex_);
  return !news_.wait_for(lock, time, [this] { return ends_.load(); });
}

}  // namespace ringside::tool
