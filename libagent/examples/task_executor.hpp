#pragma once
// An executor for Boost.Asio, of which all that it executes is in a task: handlers, and coroutines
// of co_spawn() between two suspensions. Copy it to your program.
#include <utility>

#include <boost/asio/execution.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <ringside/task.hpp>

template <class Executor>
class TaskExecutor {
 public:
  TaskExecutor(Executor executor, ringside::Task task) noexcept
      : executor_(std::move(executor)), task_(std::move(task)) {}

  template <class Function>
  void execute(Function function) const {
    boost::asio::execution::execute(executor_,
                                    [task = task_, function = std::move(function)]() mutable {
                                      const ringside::Task::Scope in_task(task);
                                      // Moved, so that it ends in the task.
                                      Function(std::move(function))();
                                    });
  }

  // The properties are those of the other executor.
  template <class Property>
  auto query(const Property& property) const noexcept
      -> decltype(boost::asio::query(std::declval<const Executor&>(), property)) {
    return boost::asio::query(executor_, property);
  }
  template <class Property>
  auto require(const Property& property) const -> TaskExecutor<
      std::decay_t<decltype(boost::asio::require(std::declval<const Executor&>(), property))>> {
    return {boost::asio::require(executor_, property), task_};
  }
  template <class Property>
  auto prefer(const Property& property) const -> TaskExecutor<
      std::decay_t<decltype(boost::asio::prefer(std::declval<const Executor&>(), property))>> {
    return {boost::asio::prefer(executor_, property), task_};
  }

  friend bool operator==(const TaskExecutor& a, const TaskExecutor& b) noexcept {
    return a.executor_ == b.executor_ && a.task_ == b.task_;
  }
  friend bool operator!=(const TaskExecutor& a, const TaskExecutor& b) noexcept {
    return !(a == b);
  }

 private:
  Executor executor_;
  ringside::Task task_;
};
