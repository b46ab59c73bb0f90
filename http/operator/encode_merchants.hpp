// JSON of merchants and of what belongs to them, for operators, without secrets. Times are RFC 3339 with milliseconds.
// An absent value is null, so that all rows of a list have the same members.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/ports/store/directory_questions.hpp"

namespace gateway::http {

/// `{"merchants":[…],"next":…}`. `next` is null if the text is empty.
std::string encode_merchants(const std::vector<save_merchant>& merchants, std::string_view next);

// Each of these takes the entry of one merchant or platform.

/// The merchant with its keys, routes, connections, destinations and users.
std::string encode_merchant_entry(const directory_lookup& entry);
/// `{"keys":[…]}`, of a merchant or a platform, oldest first.
std::string encode_keys(const directory_lookup& entry);
/// `{"routes":[…]}`.
std::string encode_routes(const directory_lookup& entry);
/// `{"connections":[…]}`.
std::string encode_connections(const directory_lookup& entry);
/// `{"users":[…]}`, including invited ones.
std::string encode_users(const directory_lookup& entry);

}  // namespace gateway::http
