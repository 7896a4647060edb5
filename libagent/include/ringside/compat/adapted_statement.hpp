#pragma once
// The description of a statement of another library's macro, in the style of std::format.

#include <ringside/format.hpp>

// After `rs_signature_`, with `format_` and the `names_` of its fields as text of arguments, both
// constant expressions. Defines RsSite and RsCall.
#define RS_ADAPTED_SITE_(level_, format_, names_)                                              \
  [[maybe_unused]] static constexpr const char* rs_function_ = __builtin_FUNCTION();           \
  using RsCall =                                                                               \
      ::ringside::detail::Call<true, rs_signature_.codes[0], rs_signature_.codes[1],           \
                               rs_signature_.codes[2], rs_signature_.codes[3],                 \
                               rs_signature_.needs_itself() ? &rs_signature_ : nullptr, void>; \
  struct RsText {                                                                              \
    RS_DEFINE_DETAIL_                                                                          \
    static constexpr rs_site site(const rs_signature* rs_types_) {                             \
      return {&rs_initial_switch, 0,       format_, __FILE__, rs_function_,   names_,          \
              rs_types_,          nullptr, 0,       level_,   RS_STYLE_BRACE, 0,               \
              __LINE__,           0,       nullptr, nullptr,  RS_DETAIL_};                     \
    }                                                                                          \
  };                                                                                           \
  using RsSite = ::ringside::detail::Site<RsText, RsCall>;                                     \
  RS_LIST_SITE_(RsSite::site)
