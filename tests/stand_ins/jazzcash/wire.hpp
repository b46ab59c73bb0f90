// JazzCash's messages, written from its documentation; shares no code with the gateway.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gateway::jazzcash_stand_in {

using fields = std::map<std::string, std::string>;
using seconds_of_day = std::chrono::sys_seconds;

std::string value_of(const fields& in, const std::string& name);

/// Upper-case HMAC-SHA256 over the salt and the values that are not empty, in the order of their names.
std::string hash_of(const fields& message, const std::string& salt);
fields hashed(fields message, const std::string& salt);

/// Empty if a field occurs twice.
std::optional<fields> read_form(std::string_view body);
/// Empty if it is not a flat object of strings.
std::optional<fields> read_json(std::string_view body);
std::string json_of(const fields& message);

seconds_of_day now();
std::string pakistan_time(seconds_of_day at);
std::optional<seconds_of_day> read_pakistan_time(const std::string& text);

}  // namespace gateway::jazzcash_stand_in
