// Makes merchants as an operator does, and provides a merchant's client, which signs as docs/served/signing.md says and
// shares no code with the gateway.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway_process.hpp"
#include "json.hpp"
#include "text.hpp"
#include "transport.hpp"

namespace gateway::e2e {

struct credentials {
  std::string key_id;
  std::string secret;
};

struct merchant_account {
  std::string id;
  std::string entity_id;
  credentials test;
  credentials live;  ///< set if the merchant was made with `live`
};

struct merchant_options {
  std::string name = "Lantern Books";
  std::string entity = "standard";
  std::string owner_email = {};
  bool live = false;  ///< a live key, connected to the sandbox card route for every currency in `live_currencies`
  std::string live_currencies = "HKD,USD,EUR";
};

merchant_account new_merchant(const gateway_process& gateway, const merchant_options& settings = {});
credentials mint_key(const gateway_process& gateway, const std::string& merchant, const std::string& mode = "test",
                     const std::string& scopes = {});
void set_connection(const gateway_process& gateway, const std::string& merchant, const std::string& provider,
                    const std::string& status, const std::string& mode = "test");
void set_route(const gateway_process& gateway, const std::string& merchant, const std::string& provider,
               const std::string& currencies, const std::string& methods, const std::string& mode = "test");

/// The options of one call.
struct call {
  std::string key = new_uuid();  ///< Idempotency-Key of a write; empty: none
  header_list headers = {};  ///< added, or set instead of the ordinary ones; an empty value leaves the header out
  std::string content_type = "application/json";  ///< sent with a body; empty: none
  std::chrono::seconds ahead = {};  ///< how far the gateway's clock has been moved
};

/// Signs and sends over one kept-alive connection.
class api {
 public:
  api(const gateway_process& gateway, credentials key) : key_{std::move(key)}, client_{gateway.connect()} {}

  reply get(const std::string& target, const call& how = {});
  reply post(const std::string& target, const std::string& body = {}, const call& how = {});
  reply request(const std::string& method, const std::string& target, const std::string& body = {},
                const call& how = {});

  reply create(const object& payment, const call& how = {}) { return post("/v1/payment_intents", payment.text(), how); }
  reply capture(const std::string& payment, const call& how = {}) { return post(path(payment, "/capture"), {}, how); }
  reply capture_part(const std::string& payment, std::int64_t amount) {
    return post(path(payment, "/capture"), R"({"amount":)" + std::to_string(amount) + '}');
  }
  reply refund(const std::string& payment, const std::string& body = {}, const call& how = {}) {
    return post(path(payment, "/refund"), body, how);
  }
  /// A partial refund.
  reply refund(const std::string& payment, std::int64_t amount, const call& how = {}) {
    return refund(payment, object{}.set("amount", amount).text(), how);
  }
  reply cancel(const std::string& payment, const std::string& body = {}, const call& how = {}) {
    return post(path(payment, "/cancel"), body, how);
  }
  reply void_payment(const std::string& payment, const std::string& body = {}, const call& how = {}) {
    return post(path(payment, "/void"), body, how);
  }
  reply view(const std::string& payment) { return get(path(payment)); }
  json payment(const std::string& payment) { return json::parse(view(payment).body); }
  std::string state_of(const std::string& payment_id) { return payment(payment_id)["state"].text(); }
  reply timeline(const std::string& payment) { return get(path(payment, "/timeline")); }

  /// The headers of a signed request.
  header_list signed_headers(const std::string& method, const std::string& target, const std::string& body,
                             const call& how) const;
  const credentials& key() const { return key_; }
  https_client& client() { return client_; }

  static std::string path(const std::string& payment, std::string_view rest = {}) {
    return "/v1/payment_intents/" + payment + std::string{rest};
  }

 private:
  credentials key_;
  https_client client_;
};

/// The value of X-Service-Signature.
std::string signature_of(std::string_view secret, std::string_view method, std::string_view path, std::string_view at,
                         std::string_view body);

/// Bodies of creates: 4200 HKD unless set otherwise.
object server_payment(const std::string& id, const std::string& method = "pm_card_visa");
object redirect_payment(const std::string& id, const std::string& currency = "HKD");

/// An answer in one line: `200 captured`, `409 payment already exists`, `401 unauthorized`, `422
/// {platform_key_required}`. If the body does not have the shape of its status, the fault is appended.
std::string summary_of(const reply& answer);

/// The timeline in short: `attempt authorize approved`, `attempt authorize declined card_declined`, `event
/// payment.failed published`.
std::vector<std::string> history(const reply& timeline);

}  // namespace gateway::e2e
