// The idempotency keys of forms that act on an entity.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gateway::http {

/// The key of an action's form, as a UUID. It depends on the entity's version, which changes in the commit of the
/// request. Until then a person who got no answer and opens the page again gets the same key, and so cannot send the
/// request under a second one.
std::string key_of_form(std::string_view id, std::int64_t version, std::string_view action);

}  // namespace gateway::http
