// Questions about merchants, platforms and providers.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/ports/store/directory_rows.hpp"
#include "gateway/ports/store/master_key_rows.hpp"
#include "gateway/ports/store/people_rows.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

/// The name of an entry of the directory. A merchant's entry has its keys, users, connections, routes, destinations and
/// bindings; it is named by the merchant, or by one of its keys or destinations. A platform's entry has its keys and
/// destinations. A user's entry is named by the id or by the address (email_key_of). A provider's entry has both
/// environments; it is named by its kind. The master keys are one entry; `text` is ignored.
struct directory_name {
  enum class kind : unsigned char { merchant, platform, key, destination, user, email, provider, master_keys };
  kind what = kind::merchant;
  std::string text;

  bool operator==(const directory_name&) const = default;
  auto operator<=>(const directory_name&) const = default;
};

/// A merchant's account, as its provider names it.
struct named_account {
  environment env = environment::test;
  provider_kind provider = provider_kind::sandbox;
  std::string account;
};

/// Several merchants may share one account: at most this many of them are returned.
inline constexpr std::uint32_t most_sharing_an_account = 100;

/// The entries of these names. Names without an entry are left out, and so are entries that cannot be read.
struct find_directory {
  using answer = struct directory_lookup;
  static constexpr auto reader = store_reader_kind::quick;

  std::vector<directory_name> of;
  bool every_platform = false;  ///< adds the entries of all platforms and providers, and the master keys
  std::optional<named_account> account{};  ///< adds the connections with that account, ordered by merchant
};

struct stored_user {
  user_id id;
  std::string email;
  bool has_password = false;
};

using stored_membership = save_membership;

struct stored_connection {
  merchant_id merchant;
  connection link;
  std::string id;
};

struct stored_route {
  merchant_id merchant;
  route way;
  std::string id;
};

struct stored_key {
  save_api_key key;
  bool revoked = false;
  std::optional<std::chrono::sys_days> last_used_on{};  ///< of a request with a correct signature, UTC
};

struct stored_platform_key {
  save_platform_key key;
  bool revoked = false;
  std::optional<std::chrono::sys_days> last_used_on{};
};

/// The published part of a binding.
struct stored_binding {
  entity_key key;
  grant_state state = grant_state::none;
  scope_set scopes;
  std::int64_t version = 0;
};

/// Its `events` are stored types.
using stored_destination = save_destination;

struct directory_lookup {
  std::vector<save_merchant> merchants;
  std::vector<save_branding> brandings;  ///< of the merchants that have one
  std::vector<stored_key> keys;
  std::vector<stored_user> users;
  std::vector<stored_membership> memberships;  ///< by merchant, oldest first
  std::vector<stored_invitation> invitations;  ///< by merchant, oldest first, including expired ones
  std::vector<stored_connection> connections;
  std::vector<stored_route> routes;
  std::vector<stored_destination> destinations;
  std::vector<platform> platforms;
  std::vector<stored_platform_key> platform_keys;
  std::vector<stored_binding> bindings;
  std::vector<save_provider> providers;
  std::vector<save_master_key> master_keys;  ///< all or none, ordered by position
  /// Merchants with a connection whose row cannot be read: that connection is left out.
  std::vector<merchant_id> unreadable_connections;
};

/// The latest number in the directory's log, and its latest turn.
struct directory_head {
  std::int64_t number = 0;
  std::int64_t turn = 0;

  bool operator==(const directory_head&) const = default;
};

/// The log's entries of changes after `since`. With a negative `since`: the head alone.
struct find_directory_updates {
  using answer = struct directory_updates;
  static constexpr auto reader = store_reader_kind::entries;

  std::int64_t since = -1;
};

struct directory_updates {
  directory_head head;
  /// `changed` is complete up to this number: the head's, or a smaller one if there were many
  std::int64_t complete_to = -1;
  bool any = false;  ///< any entry may have changed: the log no longer has all changes
  std::vector<directory_change> changed;  ///< without repeats
};

/// For operators: ordered by owner, mode and age, at most `limit`.
struct find_destinations {
  using answer = struct destinations_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  std::string owner{};  ///< empty: any owner
  std::optional<environment> env{};
  std::uint32_t limit = 100;
};

struct destinations_lookup {
  std::vector<stored_destination> destinations;
  std::uint64_t left_out = 0;  ///< the number of further destinations
};

/// The file of the merchant's logo, for the page that shows it.
struct find_logo {
  using answer = struct logo_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant;
};

struct logo_lookup {
  std::string png;  ///< empty: there is none
};

/// Whether a spend_token with these values was committed.
struct find_spent_token {
  using answer = struct spent_token_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant;
  std::string token_id;
};

struct spent_token_lookup {
  bool spent = false;
};

}  // namespace gateway

// Compiled in questions.cpp.
extern template class std::vector<gateway::platform>;
extern template class std::vector<gateway::stored_key>;
