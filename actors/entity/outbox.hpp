// The deliveries of an entity's events.
#pragma once

#include <vector>

#include "entity_context.hpp"

namespace gateway::actors {

/// The deliveries of the events among `entries`. They must be stored in the commit that stores the events, so that no
/// event lacks its deliveries. They go to the merchant's own destinations and, in live, to those of the platforms that
/// have the merchant's grant now; an event that is created after a revocation was published is not sent to that
/// platform. A platform receives the events of other platforms' payments without their private fields, and no events of
/// other platforms' subscriptions. `after` is the subject's row as the commit leaves it. The entries' event_id and
/// event_data are set.
fresh_deliveries deliveries_of(const entity_key& subject, const entity_row& after,
                               const std::vector<timeline_entry>& entries, const entity_context& with);

}  // namespace gateway::actors
