// The rows of units of work, compiled here once.
#include "gateway/ports/store/unit_of_work.hpp"

#include "gateway/base/compiled_once_members.hpp"

namespace gateway {

template class compiled_once<inserted_row::variant_type>;
template struct constructors<inserted_row::variant_type>;
template class compiled_once<claimed_row::variant_type>;
template struct constructors<claimed_row::variant_type>;

}  // namespace gateway

template class std::vector<gateway::inserted_row>;
template class std::vector<gateway::claimed_row>;
template class std::vector<gateway::timeline_entry>;
template class std::vector<gateway::save_destination>;
template class std::vector<std::string>;
