// Tasks: orders that move between the threads of Boost.Asio. Each is one track of a timeline.
#include <array>
#include <string>
#include <utility>  // before Boost.Asio 1.74, which needs it

#include <boost/asio.hpp>
#include <ringside/context.hpp>
#include <ringside/log.hpp>
#include <ringside/span.hpp>
#include <ringside/task.hpp>

#include "task_executor.hpp"

namespace asio = boost::asio;

namespace {

std::array pools{asio::thread_pool(1), asio::thread_pool(1), asio::thread_pool(1)};  // by step
constexpr std::array<const char*, 3> kSteps{"check", "charge", "ship"};

auto thread_of(std::size_t step, const ringside::Task& order) {
  return TaskExecutor(pools[step].get_executor(), order);
}

// Knows nothing of tasks.
void run(std::size_t step) {
  RS_SPAN("step", RS_NAMED("name", kSteps[step]));
  RS_INFO("%s begins", kSteps[step]);
}

#ifdef BOOST_ASIO_HAS_CO_AWAIT
asio::awaitable<void> handle(ringside::Task order) {
  for (std::size_t step = 0; step < kSteps.size(); ++step) {
    const auto work = [step]() -> asio::awaitable<void> { co_return run(step); };
    co_await asio::co_spawn(thread_of(step, order), work, asio::use_awaitable);
  }
}
void begin(const ringside::Task& order) {
  asio::co_spawn(thread_of(0, order), handle(order), asio::detached);
}
#else
void begin(const ringside::Task& order, std::size_t step = 0) {
  asio::post(thread_of(step, order), [order, step] {
    run(step);
    if (step + 1 < kSteps.size()) begin(order, step + 1);
  });
}
#endif

}  // namespace

int main() {
  for (const unsigned number : {7U, 8U, 9U}) {
    const ringside::Context context{{"customer", number * 100}};
    begin(ringside::Task("order " + std::to_string(number)));
  }
  for (asio::thread_pool& pool : pools) pool.join();
  return 0;
}
