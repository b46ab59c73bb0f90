// The directory's commands and results, compiled here once.
#include "gateway/directory/commands.hpp"

#include "gateway/base/compiled_once_members.hpp"

namespace gateway {

template class compiled_once<operator_command::variant_type>;
template struct constructors<operator_command::variant_type>;
template class compiled_once<operator_result::variant_type>;
template struct constructors<operator_result::variant_type>;

}  // namespace gateway
