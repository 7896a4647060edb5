#pragma once
// Operands of glog's statements that only a std::ostream can write. It writes them at once.

#include <iomanip>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>

#include <ringside/stream.hpp>

#include "log_sink.hpp"
#include "writer.hpp"

namespace google {

/// Type of google::COUNTER.
struct Counter_t {};
/// As an operand: how many executions of its LOG_EVERY_N or LOG_FIRST_N there were.
inline constexpr Counter_t COUNTER{};

}  // namespace google

namespace ringside::detail::glog {

// What google::COUNTER is, for the statement that this thread executes.
inline thread_local std::int64_t counter = 0;

inline constexpr std::uint8_t kString = shm::code(shm::FieldType::string);

// A text of its own.
struct WrittenField : StreamField<kString, TextView> {
  std::shared_ptr<const std::string> owner;

  explicit WrittenField(std::string text)
      : owner(std::make_shared<const std::string>(std::move(text))) {
    value = {owner->data(), owner->size()};
  }
};

// A stream from its first manipulator on: all that follows is one text.
template <class Before>
struct WrittenRest {
  Before before;
  std::shared_ptr<std::ostringstream> rest;

  template <class T>
  const WrittenRest& operator<<(const T& value) const {
    if constexpr (std::is_same_v<T, google::Counter_t>) {
      *rest << counter;
    } else {
      Writer<T>::write(*rest, value);
    }
    return *this;
  }
  const WrittenRest& operator<<(std::ostream& (*manipulator)(std::ostream&)) const {
    *rest << manipulator;
    return *this;
  }
};

template <class T>
inline constexpr bool is_manipulator =
    std::is_function_v<std::remove_pointer_t<T>> ||
    is_one_of<T, decltype(std::setw(0)), decltype(std::setprecision(0)),
              decltype(std::setfill(' ')), decltype(std::setbase(0)),
              decltype(std::setiosflags(std::ios::dec)),
              decltype(std::resetiosflags(std::ios::dec))>;

struct Style {
  template <class Given, class T>
  static auto take(const Given& given, const T& value) {
    if constexpr (std::is_same_v<T, google::Counter_t>) {
      return given << counter;
    } else if constexpr (is_manipulator<T>) {
      auto rest = std::make_shared<std::ostringstream>();
      *rest << value;
      return WrittenRest<Given>{given, std::move(rest)};
    } else {
      std::ostringstream text;
      Writer<T>::write(text, value);
      return appended(given, WrittenField(text.str()));
    }
  }
};

template <class Place>
struct Record {
  std::uint8_t state;

  template <class Previous, class Last>
  [[gnu::always_inline]] void operator&(const Stream<Previous, Last>& given) const {
    StreamRecord<Place>{state} & given;
    if (__builtin_expect(has_sinks.load(std::memory_order_relaxed), false)) {
      send(given, typename Stream<Previous, Last>::All());
    }
  }
  template <class Before>
  void operator&(const WrittenRest<Before>& given) const {
    std::string text = given.rest->str();
    while (!text.empty() && text.back() == '\n') text.pop_back();  // of std::endl
    *this& appended(given.before, WrittenField(std::move(text)));
  }

 private:
  // Operands by value: their addresses would keep them in memory for the record too.
  template <class Given, class... Each>
  [[gnu::always_inline]] static void send(const Given& given, Types<Each...> /*all*/) {
    SinkCall<typename Each::Operand...>::send(&StreamSite<Place>::site,
                                              static_cast<const Each&>(given).operand...);
  }
};

// Adds the text of the error number that there was before the operands were evaluated.
template <class Place>
struct ErrnoRecord {
  std::uint8_t state;
  int number = errno;

  template <class Given>
  void operator&(const Given& given) const {
    char place[256] = "";
    const char* const text = strerror_r(number, place, sizeof place);
    Record<Place>{state} & (given << ": " << text << " [" << number << "]");
  }
};

}  // namespace ringside::detail::glog
