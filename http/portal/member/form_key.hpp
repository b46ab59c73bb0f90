// The idempotency keys of forms that act on an entity.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gateway::http {

/// The key of an action's form, as a UUID. Taking a key changes the entity's version in the same commit. So until the
/// row shows the request, each page of the entity has the same key, and a person who opens the page again because no
/// answer came cannot send the request under a second key.
std::string key_of_form(std::string_view id, std::int64_t version, std::string_view action);

}  // namespace gateway::http
