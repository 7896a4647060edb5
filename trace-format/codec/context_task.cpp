#include "trace-format/codec/context_task.hpp"

#include <string_view>
#include <vector>

#include "shm-layout/task_fields.hpp"

namespace ringside::trace {

void find_task(RecordContext& context) {
  context.task = context.task_step = 0;
  context.task_name = {};
  const std::vector<Field>& fields = context.site->fields;
  if (fields.size() < shm::kTaskFields) return;
  const auto is_number = [&fields](std::size_t i, std::string_view name) {
    return fields[i].name == name && fields[i].type == shm::FieldType::u64 && !fields[i].is_array;
  };
  if (!is_number(1, shm::kTaskIdField) || !is_number(2, shm::kTaskStepField)) return;
  context.task = context.args[1].u64;
  context.task_step = context.args[2].u64;
  const bool has_name =
      fields[0].name == shm::kTaskNameField && fields[0].type == shm::FieldType::string;
  if (has_name) context.task_name = context.args[0].text;
}

}  // namespace ringside::trace
