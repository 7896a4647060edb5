/* The name of spdlog's header, for sources that stay unchanged. */
#pragma once
// spdlog's asynchronous loggers: loggers as all others. Every call returns at once.

#include <ringside/compat/spdlog.hpp>

namespace spdlog {

enum class async_overflow_policy { block, overrun_oldest, discard_new };

namespace details {
/// There is none: consumerd reads the rings.
class thread_pool {};
}  // namespace details

template <async_overflow_policy kPolicy = async_overflow_policy::block>
struct async_factory_impl : synchronous_factory {};
using async_factory = async_factory_impl<>;
using async_factory_nonblock = async_factory_impl<async_overflow_policy::overrun_oldest>;

/// A logger. What to do when a ring is full is RINGSIDE_OVERFLOW.
class async_logger : public logger {
 public:
  template <class Sinks>
  async_logger(std::string name, const Sinks& from,
               const std::weak_ptr<details::thread_pool>& /*pool*/,
               async_overflow_policy /*policy*/ = async_overflow_policy::block)
      : logger(std::move(name), from) {}
  template <class It>
  async_logger(std::string name, It begin, It end,
               const std::weak_ptr<details::thread_pool>& /*pool*/,
               async_overflow_policy /*policy*/ = async_overflow_policy::block)
      : logger(std::move(name), begin, end) {}
  async_logger(std::string name, sinks_init_list from,
               const std::weak_ptr<details::thread_pool>& /*pool*/,
               async_overflow_policy /*policy*/ = async_overflow_policy::block)
      : logger(std::move(name), from) {}
};

template <class Sink, class... Arguments>
std::shared_ptr<logger> create_async(std::string name, Arguments&&... arguments) {
  return async_factory::create<Sink>(std::move(name), std::forward<Arguments>(arguments)...);
}
template <class Sink, class... Arguments>
std::shared_ptr<logger> create_async_nb(std::string name, Arguments&&... arguments) {
  return async_factory::create<Sink>(std::move(name), std::forward<Arguments>(arguments)...);
}
/// Has no effect.
template <class... Functions>
void init_thread_pool(std::size_t /*messages*/, std::size_t /*threads*/,
                      const Functions&... /*functions*/) {}
inline std::shared_ptr<details::thread_pool> thread_pool() {
  static const auto pool = std::make_shared<details::thread_pool>();
  return pool;
}

}  // namespace spdlog
