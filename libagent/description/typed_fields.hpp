#pragma once
// The fields of a statement whose signature has shapes: those of arguments with parts, enumerations
// and literals.

#include <array>
#include <cstddef>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libagent/description/argument_names.hpp"
#include "libagent/include/ringside/abi.h"
#include "shm-layout/dictionary_entry.hpp"

namespace ringside {

// Its memory is one static buffer: a stream's first execution can be in a signal handler, which
// must not call the allocator. One at a time, under the slow-path lock.
class TypedFields {
 public:
  TypedFields();
  TypedFields(const TypedFields&) = delete;
  TypedFields& operator=(const TypedFields&) = delete;

  // `names` are those of the arguments. False if a literal cannot be read, or the shapes do not
  // have the signature's fields.
  bool read(const rs_site& site, std::string_view format, std::string_view arguments,
            std::span<const std::string_view> names);

  // The format, with placeholders for fields in the place of those for arguments.
  std::string_view format() const { return format_; }

  // Fills in names, constants and flags; refers to this object.
  void describe(std::span<shm::FieldDescription> fields) const;

  // Of field `index`, or null.
  rs_enumeration* enumeration(std::size_t index) const { return fields_[index].enumeration; }

 private:
  struct Field {
    std::pmr::string name;
    std::string constant;  // of statements that are not streams
    bool is_constant = false;
    rs_enumeration* enumeration = nullptr;
  };

  void add_fields(const rs_shape* shape, const std::pmr::string& name);
  bool read_constants(const rs_signature& signature, std::string_view arguments,
                      std::span<const std::size_t> argument_of_field);
  void make_distinct();

  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::vector<Field> fields_;
  std::pmr::string format_;
};

}  // namespace ringside
