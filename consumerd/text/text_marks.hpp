#pragma once
// Marks in the output directory: from which place on the trace of a segment goes to its service's
// text. The poll loop makes a mark before it drains the first record of a segment, so that no line
// is missing if consumerd is killed before the text's thread has stored a cursor.

#include <string>
#include <vector>

#include "consumerd/text/segment_position.hpp"

namespace ringside::consumer {

// Creates the file `.<service>.<uuid>.text-mark`, unless it exists. False with `*why`.
bool make_text_mark(const std::string& output_dir, const std::string& service,
                    const SegmentPosition& from, std::string* why);

void remove_text_mark(const std::string& output_dir, const std::string& service,
                      const SegmentPosition& of);

struct TextMark {
  std::string service;
  SegmentPosition from;
};

// All marks; damaged ones are left out.
std::vector<TextMark> text_marks(const std::string& output_dir);

}  // namespace ringside::consumer
