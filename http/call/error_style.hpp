// The OAuth endpoints send errors in their own shape. Other endpoints use the shape of the error's row.
#pragma once

#include <string_view>

#include "http/errors.hpp"

namespace gateway::http {

enum class error_style : unsigned char {
  usual,
  oauth,   ///< every error as `{"error","error_description"}`
  revoke,  ///< for platforms only: any other caller gets 401 invalid_client, whatever the reason
};

/// A whole answer. Only the typed shape uses `base_url`.
response error_response(error_style style, error_code code, std::string_view message = {},
                        std::string_view base_url = {});
response error_response(error_style style, const rejection& why, std::string_view base_url = {});

}  // namespace gateway::http
