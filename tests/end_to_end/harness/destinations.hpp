// Operators' commands for webhooks, and the audit of deliveries: it compares the stored rows with the posts that the
// receivers got.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "merchant.hpp"
#include "platform.hpp"
#include "webhook_receiver.hpp"

namespace gateway::e2e {

struct webhook_destination {
  std::string id;
  std::string secret;
  std::string path;  ///< on its receiver
};

/// Runs `gatewayctl destination set`. Returns the destination with its path. Throws if the gateway refuses it.
webhook_destination set_destination(const gateway_process& gateway, const merchant_account& merchant,
                                    const std::string& url, const std::string& mode = "test",
                                    const std::string& events = {});
webhook_destination set_destination(const gateway_process& gateway, const platform_account& platform,
                                    const std::string& url, const std::string& mode, const std::string& events = {});

/// The destination's entry in `destination list`; nothing if it is not listed.
json shown_destination(const gateway_process& gateway, const std::string& destination);
/// `delivery list`, of one destination: the newest thousand.
std::vector<json> deliveries_to(const gateway_process& gateway, const std::string& destination,
                                const std::string& status = {});
/// Waits until `delivery list` shows this number of deliveries.
bool deliveries_come_to(const gateway_process& gateway, const std::string& destination, const std::string& status,
                        std::size_t count, std::chrono::milliseconds within = hang_timeout);

/// Makes it a platform's destination, on disk, as if the merchant had granted that platform access: after its restart
/// the gateway calls it by the platforms' schedule. Kills and starts the gateway.
void turn_into_platform(gateway_process& gateway, const std::string& destination);

/// Rows of the merchant that are still undelivered after that time.
std::vector<std::string> left_undelivered(const gateway_process& gateway, const merchant_account& merchant,
                                          std::chrono::seconds within = hang_timeout);

struct arrivals {
  const webhook_receiver& at;
  webhook_destination to;
  bool platform = false;
};

struct delivery_audit {
  std::vector<std::string> broken;  ///< broken promises; empty is good
  std::size_t events = 0;
  std::size_t posts = 0;
  std::size_t repeats = 0;          ///< posts of a delivery that had arrived before
};

/// Audits one environment of one merchant: every event row reached each of these destinations, nothing else arrived,
/// repeated posts are byte-identical, every signature verifies, and the rows say delivered. The destinations must list
/// every type but payment.voided.
delivery_audit audit_deliveries(const gateway_process& gateway, const merchant_account& merchant,
                                const std::string& mode, const std::vector<arrivals>& all);

}  // namespace gateway::e2e
