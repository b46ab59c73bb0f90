// Operators' queries to the store, and their commands to actors other than the directory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/messages/actors.hpp"
#include "gateway/ports/store/store.hpp"
#include "http/codec/decoded.hpp"

namespace gateway::http {

/// Which destinations to show; all by default.
struct destination_filter {
  std::string owner;
  std::optional<environment> env;
};
decoded<destination_filter> decode_destination_filter(std::string_view body, std::size_t json_depth);
decoded<find_customers> decode_find_customers(std::string_view body, std::size_t json_depth);
decoded<find_subscriptions> decode_find_subscriptions(std::string_view body, std::size_t json_depth);
/// Named by the caller's id, or by the id that events contain.
struct named_subscription {
  std::string id;
  merchant_id merchant;  ///< empty: any merchant
};
decoded<named_subscription> decode_show_subscription(std::string_view body, std::size_t json_depth);
struct moved_subscription : named_subscription {
  move_enrollment what;
};
decoded<moved_subscription> decode_move_subscription(std::string_view body, std::size_t json_depth);
decoded<find_deliveries> decode_find_deliveries(std::string_view body, std::size_t json_depth);
/// One delivery, by its id.
decoded<find_deliveries> decode_show_delivery(std::string_view body, std::size_t json_depth);
decoded<redeliver> decode_redeliver(std::string_view body, std::size_t json_depth);
decoded<retire_master_key> decode_retire_master_key(std::string_view body, std::size_t json_depth);
decoded<drain_node> decode_drain_node(std::string_view body, std::size_t json_depth);
decoded<find_notifications> decode_find_notifications(std::string_view body, std::size_t json_depth);
/// Named by the id in the list. Without an environment, both are searched.
struct named_notification {
  std::string id;
  std::optional<environment> env;
};
decoded<named_notification> decode_replay_notification(std::string_view body, std::size_t json_depth);
decoded<find_events> decode_find_events(std::string_view body, std::size_t json_depth);

}  // namespace gateway::http
