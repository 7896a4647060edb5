// Runs code in a signal handler, which can interrupt a log call.
#pragma once

#include <csignal>
#include <functional>
#include <utility>

namespace ringside::test {

template <class Call>
void in_handler(Call&& call) {
  static std::function<void()> run;
  const std::function<void()> former = std::exchange(run, std::forward<Call>(call));
  struct sigaction action {};
  action.sa_handler = [](int) { run(); };
  action.sa_flags = SA_NODEFER;
  sigaction(SIGUSR1, &action, nullptr);
  raise(SIGUSR1);
  run = former;
}

}  // namespace ringside::test
