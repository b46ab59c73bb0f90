// What readers of the store are sent and answer, compiled here once.
#include "gateway/store.hpp"

#include "gateway/base/compiled_once_members.hpp"

namespace gateway {

template class compiled_once<store_question::variant_type>;
template struct constructors<store_question::variant_type>;
template class compiled_once<store_answer::variant_type>;
template struct constructors<store_answer::variant_type>;

}  // namespace gateway
