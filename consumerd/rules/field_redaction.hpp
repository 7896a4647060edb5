#pragma once
// Removes the values of some fields of one statement from its records.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "consumerd/rules/record_rules.hpp"
#include "trace-format/codec/ring_record_view.hpp"

namespace ringside::consumer {

class FieldRedaction {
 public:
  // Null if no rule names a field of the site. The value of a constant field is part of the
  // program's text and of the dictionary: it cannot be hidden, and `*constants` names it.
  static std::unique_ptr<FieldRedaction> of_site(const trace::Site& site,
                                                 const std::vector<const RedactionRule*>& rules,
                                                 std::vector<std::string>* constants);

  // Indices of the fields whose values are removed.
  std::vector<std::uint16_t> hidden_fields() const;

  // Appends `record`, which must be whole and of this site, without those values.
  void append(const trace::RingRecordView& record, std::vector<std::byte>* out) const;

 private:
  struct Part {
    const trace::FieldPlan* plan;
    bool hidden;
    std::string text;
  };
  void append_arguments(const trace::RingRecordView& record, bool with_text,
                        std::vector<std::byte>* out) const;

  std::vector<Part> parts_;              // one for each field that records carry
  std::size_t most_argument_bytes_ = 0;  // of a record
};

}  // namespace ringside::consumer
