#pragma once
/// @file
/// User types in RS_EVENT and RS_FMT: their members as fields, and names of their enumerations. For
/// C++17 and later.

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "<ringside/adapt.hpp> needs C++17"
#else

#include "composite.hpp"
#include "each_argument.h"
#include "enum_names.hpp"

/// Lists the members of a class or structure, which are recorded as fields: `order.px`.
///
///     struct Point { int x, y; };
///     RS_ADAPT(Point, x, y)
///
/// Write it in the namespace of the type, after it. For a nested type: `RS_ADAPT(Outer::Inner, a)`.
/// Members can be types with parts themselves. A member function without arguments can be listed
/// too, with its parentheses. The members must be accessible; for others, and for templates,
/// specialise ringside::Fields.
///
/// @param Type_  the type
/// @param ...  up to 255 members
/// @par Return value
/// None.
/// @par Thread safety
/// A log call reads the members in its own thread, without a lock.
#define RS_ADAPT(Type_, ...)                                                                       \
  [[maybe_unused]] constexpr const char* rs_field_names(const Type_*) {                            \
    return #__VA_ARGS__;                                                                           \
  }                                                                                                \
  template <class RsVisitor_>                                                                      \
  [[maybe_unused]] decltype(auto) rs_visit_fields(const Type_& rs_value_,                          \
                                                  RsVisitor_&& rs_visitor_) {                      \
    return rs_visitor_(rs_value_.RS_FIRST_(__VA_ARGS__, ) RS_EACH_(RS_NEXT_MEMBER_, __VA_ARGS__)); \
  }

/// Lists the enumerators of an enumeration whose names cannot be found out, because they are
/// outside of ringside::EnumRange or its type is not fixed.
///
///     enum class Status { ok = 200, not_found = 404 };
///     RS_ENUM_NAMES(Status, ok, not_found)
///
/// Write it in the namespace of the enumeration, after it.
///
/// @param Enum_  the enumeration
/// @param ...  up to 256 of its enumerators
/// @par Return value
/// None.
/// @par Thread safety
/// A declaration.
#define RS_ENUM_NAMES(Enum_, ...)                                                             \
  [[maybe_unused]] constexpr auto rs_enumerators(const Enum_*) {                              \
    using RsEnum_ = Enum_;                                                                    \
    constexpr RsEnum_ kRsList[] = {RsEnum_::RS_FIRST_(__VA_ARGS__, )                          \
                                       RS_EACH_(RS_NEXT_ENUMERATOR_, __VA_ARGS__)};           \
    return ::ringside::detail::ListedEnumerators<sizeof kRsList / sizeof kRsList[0],          \
                                                 sizeof #__VA_ARGS__>(kRsList, #__VA_ARGS__); \
  }

#define RS_NEXT_MEMBER_(number_, member_) , rs_value_.member_
#define RS_NEXT_ENUMERATOR_(number_, enumerator_) , RsEnum_::enumerator_

#endif
