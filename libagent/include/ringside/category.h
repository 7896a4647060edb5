/** @file
 * Categories and keywords of statements, for C and C++.
 *
 *     #define RS_CATEGORY "net"
 *     #define RS_KEYWORDS (KEYWORD_IO | KEYWORD_SLOW)
 *
 * Statements after these lines belong to the category and have the keywords, a set of 64 bits. Both
 * macros can be defined before or after the headers are included, and defined again after #undef.
 * Tools select statements by them: `ringctl level warning --category net`, `ringcat --where
 * 'category == "net"'`. The dictionary has them once: a record costs nothing more, and neither does
 * a statement without them. Included by <ringside/ringside.h>, <ringside/ringside.hpp> and
 * <ringside/log.hpp>.
 */
#ifndef RINGSIDE_CATEGORY_H
#define RINGSIDE_CATEGORY_H

#include "abi.h"

/* What the names of the two macros mean where they are not defined. */
#pragma push_macro("RS_CATEGORY")
#pragma push_macro("RS_KEYWORDS")
#undef RS_CATEGORY
#undef RS_KEYWORDS
#ifdef __cplusplus
#include <cstddef>
#include <cstdint>

inline constexpr std::nullptr_t RS_CATEGORY = nullptr;
inline constexpr std::uint64_t RS_KEYWORDS = 0;
#else
enum { RS_CATEGORY = 0, RS_KEYWORDS = 0 };
#endif
#pragma pop_macro("RS_CATEGORY")
#pragma pop_macro("RS_KEYWORDS")

#ifdef __cplusplus
/* Those of the statement, if a macro of this file declares them. */
inline constexpr const char* rs_category_ = nullptr;
inline constexpr std::uint64_t rs_keywords_ = 0;

namespace ringside::detail {

constexpr rs_site_detail site_detail(const char* own_category, const char* category,
                                     std::uint64_t own_keywords, std::uint64_t keywords) {
  return {nullptr, own_category != nullptr ? own_category : category,
          own_keywords != 0 ? own_keywords : keywords, nullptr};
}

// Those of the statement with this local type. Not a local constant: g++ 12 does not emit it in a
// generic lambda of a template.
template <class Text>
struct SiteDetail {
  [[gnu::visibility("hidden")]] static constexpr rs_site_detail value = Text::detail();
  static constexpr const rs_site_detail* stored() { return &value; }
};
// Of all statements without.
template <>
struct SiteDetail<void> {
  static constexpr const rs_site_detail* stored() { return nullptr; }
};

constexpr bool has_detail(const char* own_category, const char* category,
                          std::uint64_t own_keywords, std::uint64_t keywords) {
  return own_category != nullptr || category != nullptr || own_keywords != 0 || keywords != 0;
}
template <bool kHasDetail>
struct DetailText {
  template <class Text>
  using Of = Text;
};
template <>
struct DetailText<false> {
  template <class Text>
  using Of = void;
};

}  // namespace ringside::detail

#define RS_DECLARE_CATEGORY_(category_) \
  [[maybe_unused]] static constexpr const char* rs_category_ = "" category_
#define RS_DECLARE_KEYWORDS_(keywords_) \
  [[maybe_unused]] static constexpr std::uint64_t rs_keywords_ = (keywords_)
/* In the local type of a statement. */
#define RS_DEFINE_DETAIL_                                                                         \
  static constexpr rs_site_detail detail() {                                                      \
    return ::ringside::detail::site_detail(rs_category_, RS_CATEGORY, rs_keywords_, RS_KEYWORDS); \
  }
#define RS_DETAIL_                                                                              \
  ::ringside::detail::SiteDetail<::ringside::detail::DetailText<::ringside::detail::has_detail( \
      rs_category_, RS_CATEGORY, rs_keywords_, RS_KEYWORDS)>::Of<RsText>>::stored()
#else
/* Constants of type int: _Generic distinguishes them from a text, also in a static initializer. */
enum { rs_category_ = 0, rs_keywords_ = 0 };

#define RS_DECLARE_CATEGORY_(category_) \
  static const char rs_category_[] __attribute__((unused)) = "" category_
#define RS_DECLARE_KEYWORDS_(keywords_) __extension__ enum { rs_keywords_ = (keywords_) }
#define RS_DECLARE_DETAIL_ RS_DECLARE_DETAIL_WITH_(0)
#define RS_DECLARE_DETAIL_WITH_(constants_)                                 \
  static const struct rs_site_detail rs_detail_ __attribute__((unused)) = { \
      0,                                                                    \
      _Generic((rs_category_), int                                          \
               : (const char*)(RS_CATEGORY), default                        \
               : rs_category_),                                             \
      rs_keywords_ != 0 ? (uint64_t)rs_keywords_ : (uint64_t)(RS_KEYWORDS), constants_}
#define RS_HAS_DETAIL_                                                       \
  (_Generic((rs_category_), int                                              \
            : _Generic((RS_CATEGORY), int : 0, default : 1), default : 1) || \
   rs_keywords_ != 0 || (RS_KEYWORDS) != 0)
#define RS_DETAIL_ (RS_HAS_DETAIL_ ? &rs_detail_ : 0)
#endif

/* Names are declared again within another such macro. */
#define RS_WITH_(declaration_, ...)                                                             \
  do {                                                                                          \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") declaration_; \
    _Pragma("GCC diagnostic pop") __VA_ARGS__;                                                  \
  } while (0)

/** A statement of another category than its file's (RS_CATEGORY).
 *
 *     RS_WITH_CATEGORY("net", RS_INFO("connected to %s", peer));
 *
 * @param category_  a string literal
 * @param ...  one statement of any style, or a macro of <ringside/gate.h> or this file with one
 * @par Return value
 * None.
 * @par Thread safety
 * As the statement.
 */
#define RS_WITH_CATEGORY(category_, ...) RS_WITH_(RS_DECLARE_CATEGORY_(category_), __VA_ARGS__)

/** A statement with other keywords than its file's (RS_KEYWORDS).
 *
 *     RS_WITH_KEYWORDS(KEYWORD_IO, RS_INFO("read %d bytes", count));
 *
 * @param keywords_  a constant of up to 64 bits, not 0; each bit is a keyword of the service's
 * choice
 * @param ...  one statement of any style, or a macro of <ringside/gate.h> or this file with one
 * @par Return value
 * None.
 * @par Thread safety
 * As the statement.
 */
#define RS_WITH_KEYWORDS(keywords_, ...) RS_WITH_(RS_DECLARE_KEYWORDS_(keywords_), __VA_ARGS__)

#endif
