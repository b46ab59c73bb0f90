// Questions about entities, their commands and their timelines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/ports/store/command_rows.hpp"
#include "gateway/ports/store/entity_rows.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

struct find_entity {
  using answer = struct entity_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  entity_key key;
};

struct entity_lookup {
  std::optional<entity_row> found;
};

struct find_command {
  using answer = struct command_lookup;
  static constexpr auto reader = store_reader_kind::quick;

  command_key key;
};

struct command_lookup {
  std::optional<command_record> found;
};

/// Oldest first.
struct find_timeline {
  using answer = struct timeline_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  entity_key key;
};

struct timeline_lookup {
  std::vector<timeline_entry> entries;
};

/// Entities that are due, per kind the longest due first, at most `limit` of each.
struct find_due {
  using answer = struct due_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  time_point now{};
  std::uint32_t limit = 0;
  bool open_only = false;  ///< only those with an open operation, without those that only wait for their customer
  time_point later_than = time_point::min();  ///< with open_only: only those due later than this
};

struct due_lookup {
  std::vector<entity_key> keys;
};

/// The binding that a grant of this id belongs or belonged to.
struct find_grant {
  using answer = struct grant_lookup;
  static constexpr auto reader = store_reader_kind::quick;

  grant_id id;
};

struct grant_lookup {
  std::optional<entity_key> binding;
  bool past = false;  ///< a new grant has replaced it
};

/// For operators: grants of a merchant, of a platform, of both, or all; newest first, at most `limit`.
struct find_grants {
  using answer = struct grants_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant{};
  platform_id platform{};
  std::optional<time_point> before{};  ///< only grants granted earlier, or at that time with a smaller id, to page on
  grant_id before_id{};
  std::uint32_t limit = 100;
};

struct grants_lookup {
  std::vector<std::pair<entity_key, grant>> grants;
};

/// For operators: a merchant's live customers (customers exist only in live), ordered by their keys' ids, at most
/// `limit`.
struct find_customers {
  using answer = struct customers_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant;
  std::string after{};  ///< an entity key's id: only customers behind it, to page on
  std::uint32_t limit = 100;
};

struct customers_lookup {
  std::vector<customer_ptr> customers;
};

/// Customers of any merchant by their first id at a provider (customer::provider_id): at most `limit`.
struct find_customer_keys {
  using answer = struct customer_keys_lookup;
  static constexpr auto reader = store_reader_kind::quick;

  std::string provider_id;
  std::uint32_t limit = 10;
};

struct customer_keys_lookup {
  std::vector<entity_key> keys;
};

/// Subscriptions of any merchant by the caller's id, or by the provider's: at most `limit`.
struct find_subscription_keys {
  using answer = struct subscription_keys_lookup;
  static constexpr auto reader = store_reader_kind::quick;

  std::string id{};
  std::string provider_id{};  ///< not empty: search by this id
  std::uint32_t limit = 100;
};

struct subscription_keys_lookup {
  std::vector<entity_key> keys;
};

/// For operators: a merchant's live subscriptions (subscriptions exist only in live), ordered by their ids, at most
/// `limit`.
struct find_subscriptions {
  using answer = struct subscriptions_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant;
  std::string after{};  ///< an id: only subscriptions behind it, to page on
  std::uint32_t limit = 100;
};

struct subscriptions_lookup {
  std::vector<subscription_ptr> subscriptions;
};

/// Where a list of a platform continues.
struct listed_position {
  time_point created_at{};
  std::string id;  ///< the entity key's

  bool operator==(const listed_position&) const = default;
  auto operator<=>(const listed_position&) const = default;
};

/// A page of a platform's live customers at a merchant, newest first.
struct find_customers_of_platform {
  using answer = struct customers_page;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant;
  platform_id platform;
  std::optional<listed_position> before{};  ///< only customers behind it, to page on
  std::uint32_t limit = 20;
};

struct customers_page {
  std::vector<customer_ptr> customers;
  bool more = false;
};

/// A page of a platform's live subscriptions at a merchant, newest first. For a customer with very many subscriptions
/// the page may have fewer than `limit`, although there is a next page.
struct find_subscriptions_of_platform {
  using answer = struct subscriptions_page;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant;
  platform_id platform;
  std::optional<subscription_status> status{};
  std::string customer_ref{};  ///< not empty: only those of this customer
  std::optional<listed_position> before{};  ///< only subscriptions behind it, to page on
  std::uint32_t limit = 20;
};

struct subscriptions_page {
  std::vector<subscription_ptr> subscriptions;
  std::optional<listed_position> next{};  ///< where the next page begins, if there may be more
};

/// For operators: newest first, at most `limit`.
struct find_notifications {
  using answer = struct notifications_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  std::optional<provider_kind> provider{};
  std::optional<environment> env{};
  std::optional<notification_state> state{};
  std::optional<time_point> before{};  ///< only those received earlier, or at that time with a smaller id, to page on
  std::string before_id{};  ///< of its entity key
  std::uint32_t limit = 100;
};

struct notifications_lookup {
  std::vector<notification_ptr> notifications;  ///< without their bodies
};

}  // namespace gateway
