/* The name of spdlog's header, for sources that stay unchanged. */
#pragma once
// spdlog's mapped diagnostic context: it can be read, but is not part of records.

#include <map>

#include <ringside/compat/spdlog.hpp>

namespace spdlog {

/// Values of this thread.
class mdc {
 public:
  /// Reports once that the value is not recorded.
  static void put(const std::string& key, const std::string& value) {
    static std::uint8_t is_reported = 0;
    rs_report_once(&is_reported,
                   "spdlog: mdc::put has no effect on records: pass the values as arguments of the "
                   "statements");
    get_context()[key] = value;
  }
  /// Empty if there is no value.
  static std::string get(const std::string& key) {
    const auto it = get_context().find(key);
    return it == get_context().end() ? std::string() : it->second;
  }
  static void remove(const std::string& key) { get_context().erase(key); }
  static void clear() { get_context().clear(); }
  static std::map<std::string, std::string>& get_context() {
    thread_local std::map<std::string, std::string> context;
    return context;
  }
};

}  // namespace spdlog
