// Endpoints of OAuth tell every error in a shape of their own. Anything else is told as its row says.
#pragma once

#include <string_view>

#include "http/errors.hpp"

namespace gateway::http {

enum class error_style : unsigned char {
  usual,
  oauth,   ///< every error as `{"error","error_description"}`
  revoke,  ///< its clients are platforms: whoever else asks is 401 invalid_client, whatever the reason
};

/// A whole answer. `base_url` matters to the typed shape only.
response error_response(error_style style, error_code code, std::string_view message = {},
                        std::string_view base_url = {});
response error_response(error_style style, const rejection& why, std::string_view base_url = {});

}  // namespace gateway::http
