/* The name of glog's header, for sources that stay unchanged. */
#pragma once
// Containers as operands: their elements with spaces between, at most 100 of them.

#include <deque>
#include <list>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <ringside/compat/glog.hpp>

namespace ringside::detail::glog {

template <class First, class Second>
struct Writer<std::pair<First, Second>> {
  static void write(std::ostream& out, const std::pair<First, Second>& pair) {
    out << '(';
    Writer<First>::write(out, pair.first);
    out << ", ";
    Writer<Second>::write(out, pair.second);
    out << ')';
  }
};

template <class Container>
struct ContainerWriter {
  static void write(std::ostream& out, const Container& container) {
    constexpr int kShown = 100;
    int i = 0;
    for (const auto& each : container) {
      if (i > 0) out << ' ';
      if (i == kShown) {
        out << "...";
        return;
      }
      Writer<std::decay_t<decltype(each)>>::write(out, each);
      ++i;
    }
  }
};

}  // namespace ringside::detail::glog

// The operators are for all other streams, as glog's.
#define RS_GLOG_WRITE_(container_)                                                            \
  namespace ringside::detail::glog {                                                          \
  template <class... Arguments>                                                               \
  struct Writer<container_<Arguments...>> : ContainerWriter<container_<Arguments...>> {};     \
  }                                                                                           \
  template <class... Arguments>                                                               \
  std::ostream& operator<<(std::ostream& out, const container_<Arguments...>& container) {    \
    ringside::detail::glog::ContainerWriter<container_<Arguments...>>::write(out, container); \
    return out;                                                                               \
  }
RS_GLOG_WRITE_(std::vector)
RS_GLOG_WRITE_(std::deque)
RS_GLOG_WRITE_(std::list)
RS_GLOG_WRITE_(std::set)
RS_GLOG_WRITE_(std::multiset)
RS_GLOG_WRITE_(std::map)
RS_GLOG_WRITE_(std::multimap)
RS_GLOG_WRITE_(std::unordered_set)
RS_GLOG_WRITE_(std::unordered_multiset)
RS_GLOG_WRITE_(std::unordered_map)
RS_GLOG_WRITE_(std::unordered_multimap)
#undef RS_GLOG_WRITE_
template <class First, class Second>
std::ostream& operator<<(std::ostream& out, const std::pair<First, Second>& pair) {
  ringside::detail::glog::Writer<std::pair<First, Second>>::write(out, pair);
  return out;
}
