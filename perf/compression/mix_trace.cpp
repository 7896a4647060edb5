#include "perf/compression/mix_trace.hpp"

#include <array>
#include <random>
#include <string>

namespace ringside::perf {
namespace {

using shm::FieldType;

class Mix {
 public:
  explicit Mix(TraceMaker& trace) : trace_(trace) {
    for (std::string& symbol : symbols_) {
      for (std::uint64_t n = 3 + below(2); n > 0; --n) symbol += static_cast<char>('A' + below(26));
    }
    for (std::int64_t& price : prices_) price = 1'000 + static_cast<std::int64_t>(below(50'000));
  }

  void record() {
    ticks_ += 40 + below(below(8) == 0 ? 4'000 : 200);
    const std::uint64_t which = below(100);
    if (which < 30) return add_order();
    if (which < 65) return cancel();
    if (which < 85) return trade();
    return request();
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::size_t any_symbol() { return below(symbols_.size()); }
  double price_of(std::size_t symbol) {
    prices_[symbol] += static_cast<std::int64_t>(below(11)) - 5;
    return static_cast<double>(prices_[symbol]) / 100;
  }
  std::uint64_t open_order() { return next_order_ - 1 - below(5'000); }

  void add_order() {
    const std::size_t symbol = any_symbol();
    trace_.begin(ticks_, add_);
    trace_.number(next_order_++);
    trace_.text(symbols_[symbol]);
    trace_.number(below(2) == 0 ? 'B' : 'S');
    trace_.number(price_of(symbol));
    trace_.number(static_cast<std::uint32_t>(1 + below(1'000)));
  }
  void cancel() {
    trace_.begin(ticks_, cancel_);
    trace_.number(open_order());
    trace_.number(static_cast<std::uint32_t>(below(4)));
  }
  void trade() {
    trace_.begin(ticks_, trade_);
    trace_.number(open_order());
    trace_.number(open_order());
    trace_.number(price_of(any_symbol()));
    trace_.number(static_cast<std::uint32_t>(1 + below(1'000)));
  }
  void request() {
    static constexpr std::array<const char*, 4> kMethods = {"GET", "GET", "POST", "DELETE"};
    static constexpr std::array<const char*, 5> kPaths = {
        "/api/v1/orders/", "/api/v1/users/", "/api/v1/positions/", "/static/js/", "/health/"};
    static constexpr std::array<std::int32_t, 6> kStatuses = {200, 200, 200, 201, 404, 500};
    trace_.begin(ticks_, request_);
    trace_.text(kMethods[below(kMethods.size())]);
    trace_.text(kPaths[below(kPaths.size())] + std::to_string(below(1'000'000)));
    trace_.number(kStatuses[below(kStatuses.size())]);
    trace_.number(static_cast<std::uint32_t>(below(50'000)));
    trace_.number(static_cast<std::uint32_t>(50 + below(20'000)));
  }

  TraceMaker& trace_;
  const std::uint32_t add_ = trace_.add_site(
      "add order %llu %s %c %.2f x %u",
      {FieldType::u64, FieldType::string, FieldType::character, FieldType::f64, FieldType::u32});
  const std::uint32_t cancel_ =
      trace_.add_site("cancel order %llu, reason %u", {FieldType::u64, FieldType::u32});
  const std::uint32_t trade_ =
      trace_.add_site("trade %llu %llu %.2f x %u",
                      {FieldType::u64, FieldType::u64, FieldType::f64, FieldType::u32});
  const std::uint32_t request_ = trace_.add_site(
      "%s %s -> %d, %u bytes in %u us",
      {FieldType::string, FieldType::string, FieldType::i32, FieldType::u32, FieldType::u32});
  std::mt19937_64 random_{11};
  std::uint64_t ticks_ = std::uint64_t{1} << 40;
  std::uint64_t next_order_ = 40'000'000;
  std::array<std::string, 40> symbols_;
  std::array<std::int64_t, 40> prices_{};
};

}  // namespace

void add_mix(TraceMaker& trace, std::uint64_t records) {
  Mix mix(trace);
  for (std::uint64_t i = 0; i < records; ++i) mix.record();
}

}  // namespace ringside::perf
