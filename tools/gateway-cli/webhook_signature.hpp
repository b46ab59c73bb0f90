// The signature of webhooks: `t=<unix seconds>,v1=<hex>` over `<t>.<body>`, by HMAC-SHA256. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gateway::cli {

inline constexpr std::int64_t usual_tolerance_s = 300;

std::string sign_webhook(std::string_view secret, std::string_view body, std::int64_t now_s);

struct verification {
  bool genuine = false;
  std::string why{};  ///< why not
};

/// One of several v1 is enough. The time may differ from now by `tolerance_s` either way.
verification verify_webhook(std::string_view secret, std::string_view header, std::string_view body,
                            std::int64_t tolerance_s, std::int64_t now_s);

}  // namespace gateway::cli
