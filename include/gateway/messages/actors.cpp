// The commands to entities, and the subjects of notifications, compiled here once.
#include "gateway/messages/actors.hpp"

#include "gateway/base/compiled_once_members.hpp"

namespace gateway {

template class compiled_once<common_command::variant_type>;
template struct constructors<common_command::variant_type>;
template class compiled_once<payment_command::variant_type>;
template struct constructors<payment_command::variant_type>;
template class compiled_once<grant_command::variant_type>;
template struct constructors<grant_command::variant_type>;
template class compiled_once<customer_command::variant_type>;
template struct constructors<customer_command::variant_type>;
template class compiled_once<subscription_command::variant_type>;
template struct constructors<subscription_command::variant_type>;
template class compiled_once<enrollment_command::variant_type>;
template struct constructors<enrollment_command::variant_type>;
template class compiled_once<notification_command::variant_type>;
template struct constructors<notification_command::variant_type>;
template class compiled_once<entity_command::variant_type>;
template struct constructors<entity_command::variant_type>;
template class compiled_once<notification_subject::variant_type>;
template struct constructors<notification_subject::variant_type>;

}  // namespace gateway
