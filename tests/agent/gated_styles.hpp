// The same statement in each style, with gates, a category, keywords and RS_MIN_LEVEL.
#pragma once

namespace ringside::test {

// The names of its functions begin with `name`.
struct GatedStyle {
  const char* name;
  void (*every_n)(int value);
  void (*first_n)(int value);
  void (*once)(int value);
  void (*every_ms)(int value);
  void (*if_even)(int value);
  void (*nested)(int value);
  void (*of_category)(int value);
  void (*of_file)(int value);
  void (*removed)(int value);
};

inline constexpr int kGatedStyles = 11;
extern const GatedStyle gated_styles[kGatedStyles];

// Other libraries' gates within RS_IF.
void glog_gate_in_gate(int value);
void quill_gate_in_gate(int value);

void prepare_gated_styles();

}  // namespace ringside::test
