// A source written for spdlog. `// LEVEL| TEXT` is the record of the next line; the test reads it.

#include <chrono>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#define SPDLOG_ACTIVE_LEVEL SPDLOG_LEVEL_DEBUG
#include <ringside/compat/spdlog.hpp>

namespace {

struct Point {
  int x = 0;
  int y = 0;
};

}  // namespace

template <>
struct fmt::formatter<Point> : fmt::formatter<int> {
  template <class Context>
  auto format(const Point& point, Context& context) const {
    return fmt::format_to(context.out(), "<{} {}>", point.x, point.y);
  }
};

namespace {

class Owner {
 public:
  void log_member() const {
    // INFO| member {}
    SPDLOG_INFO(text_);
  }

 private:
  std::string text_ = "member {}";
};

void log_macros(const std::string& name) {
  const Point point{3, 4};
  int evaluated = 0;
  SPDLOG_TRACE("not compiled {}", ++evaluated);
  SPDLOG_DEBUG("below the level {}", ++evaluated);
  // INFO| table far has id 0x2a
  SPDLOG_INFO("table {} has id {:#x}", name, 42);
  // WARNING| 2 before 1
  SPDLOG_WARN("{1} before {0}", 1, 2);
  // ERROR| {} without arguments
  SPDLOG_ERROR("{} without arguments");
  // CRITICAL| critical 0
  SPDLOG_CRITICAL("critical {}", evaluated);
  // INFO| point <1 2> of far
  SPDLOG_INFO("point {} of {}", Point{1, 2}, name);
  // INFO| vector [1, 2, 3]
  SPDLOG_INFO("vector {}", std::vector<int>{1, 2, 3});
  // INFO| named 7
  SPDLOG_INFO("named {value}", fmt::arg("value", 7));
  // INFO| runtime 5
  SPDLOG_INFO(fmt::runtime("runtime {}"), 5);
  // INFO| far
  SPDLOG_INFO(name);
  // INFO| far
  SPDLOG_INFO(name.c_str());
  // INFO| <3 4>
  SPDLOG_INFO(point);
  // WARNING| [invalid format: argument not found]
  SPDLOG_WARN(fmt::runtime("no {}"));
  Owner().log_member();
  if (evaluated == 0)
    // INFO| branch
    SPDLOG_INFO("branch");
  else
    SPDLOG_INFO("another branch");
}

void log_functions(const std::string& name) {
  // INFO| function far
  spdlog::info("function {}", name);
  // WARNING| {} as it is
  spdlog::warn("{} as it is");
  // ERROR| <5 6>
  spdlog::error(Point{5, 6});
  // CRITICAL| run time 1
  spdlog::critical(fmt::runtime("run time {}"), 1);
  spdlog::debug("below the level {}", 1);
  // WARNING| level at run time
  spdlog::log(spdlog::level::warn, "level at run time");
}

void log_loggers() {
  const auto orders = spdlog::stdout_color_mt("orders");
  orders->set_pattern("%v");
  // INFO| order 1
  SPDLOG_LOGGER_INFO(orders, "order {}", 1);
  // INFO| order <1 2>
  SPDLOG_LOGGER_INFO(spdlog::get("orders"), "order {}", Point{1, 2});
  orders->set_level(spdlog::level::debug);
  // DEBUG| order 2
  orders->debug("order {}", 2);
  // DEBUG| order 3
  SPDLOG_LOGGER_DEBUG(orders.get(), "order {}", 3);
  // ERROR| order 4
  SPDLOG_LOGGER_CALL(orders, spdlog::level::err, "order {}", 4);
  spdlog::set_level(spdlog::level::off);
  orders->critical("off");
  SPDLOG_CRITICAL("off");
  spdlog::set_level(spdlog::level::trace);
  // TRACE| order 5
  orders->trace("order 5");
}

}  // namespace

int main() {
  const std::string name = "far";
  spdlog::set_pattern("%+");
  log_macros(name);
  log_functions(name);
  log_loggers();
  spdlog::enable_backtrace(10);
  spdlog::apply_all([](const std::shared_ptr<spdlog::logger>& each) { each->flush(); });
  spdlog::shutdown();
}
