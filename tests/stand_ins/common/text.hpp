// Encodings that the providers' messages share. The stand-ins share no code with the gateway.
#pragma once

#include <string>
#include <string_view>

namespace gateway::stand_in {

/// Of a name or a value in application/x-www-form-urlencoded. A percent sign that escapes nothing stays.
std::string form_decoded(std::string_view text);

std::string escaped(std::string_view text);  ///< for HTML

}  // namespace gateway::stand_in
