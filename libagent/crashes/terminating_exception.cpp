#include "libagent/crashes/terminating_exception.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <typeinfo>
#include <unistd.h>

#include <sys/syscall.h>

namespace ringside {
namespace {

std::terminate_handler g_former_terminate = nullptr;
void (*g_record_terminate)() = nullptr;

// Of the first thread that terminates; the process ends then. Static, because a library that is
// loaded late has little room for variables of threads.
std::atomic<long> g_terminating_thread{0};
std::array<char, 512> g_type{};
std::array<char, 2048> g_what{};
std::size_t g_type_bytes = 0;
std::size_t g_what_bytes = 0;

template <std::size_t kBytes>
std::size_t keep(const char* text, std::array<char, kBytes>& place) {
  const std::size_t bytes = strnlen(text, place.size());
  std::memcpy(place.data(), text, bytes);
  return bytes;
}

void note_exception() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (type == nullptr) return;
  g_type_bytes = keep(type->name(), g_type);
  try {
    throw;
  } catch (const std::exception& exception) {
    g_what_bytes = keep(exception.what(), g_what);
  } catch (const abi::__forced_unwind&) {  // a thread is being cancelled
    throw;
  } catch (...) {
  }
}

// The handler of the C++ library, which ends the process by abort().
bool is_of_the_language(std::terminate_handler handler) {
  return handler == nullptr || handler == &__gnu_cxx::__verbose_terminate_handler;
}

void on_terminate() {
  long none = 0;
  if (g_terminating_thread.compare_exchange_strong(none, syscall(SYS_gettid))) {
    note_exception();
    if (!is_of_the_language(g_former_terminate)) g_record_terminate();
  }
  if (g_former_terminate != nullptr) g_former_terminate();
  // The caller aborts.
}

}  // namespace

void install_terminate_handler(void (*record)()) {
  g_record_terminate = record;
  g_former_terminate = std::get_terminate();
  std::set_terminate(on_terminate);
}

void uninstall_terminate_handler() {
  if (std::get_terminate() == on_terminate) std::set_terminate(g_former_terminate);
}

bool is_terminating() {
  return g_terminating_thread.load(std::memory_order_relaxed) == syscall(SYS_gettid);
}

TerminatingException terminating_exception() {
  return {{g_type.data(), g_type_bytes}, {g_what.data(), g_what_bytes}};
}

}  // namespace ringside
