// The directory's destinations of webhooks, with their secrets.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/base/crypto.hpp"
#include "gateway/directory/directory.hpp"
#include "merchants.hpp"
#include "plan.hpp"
#include "platforms.hpp"

namespace gateway::actors {

/// Most destinations of a merchant in one mode. A platform has one.
inline constexpr std::size_t most_destinations = 32;

/// Derived from its arguments, so that two nodes that set the same destination at the same time set only one.
destination_id destination_id_of(destination_kind kind, const std::string& owner, environment env,
                                 const std::string& url);

/// Holds the destinations of known owners, seals and opens their secrets, publishes them, and hands each merchant its
/// own. Destinations of a suspended platform are published as held.
class destinations {
 public:
  using listener = std::function<void(const destination_id&)>;

  /// All arguments but `published_anew` must outlive it; `published_anew` is called for each destination that is
  /// published.
  destinations(merchants& owners, const platforms& platform_owners, directory& published,
               const crypto::master_key& keys, const wall_clock& clock, listener published_anew)
      : owners_{owners},
        platform_owners_{platform_owners},
        published_{published},
        keys_{keys},
        clock_{clock},
        published_anew_{std::move(published_anew)} {}

  /// Takes over the destinations among these rows, and hands merchants theirs. Publishes nothing yet.
  void adopt(const directory_lookup& rows);
  void publish(const directory_lookup& rows) const;
  bool has(const destination_id& id) const { return known_.contains(id); }
  /// Publishes the owner's destinations.
  void publish_of(const std::string& owner) const;

  /// As in merchants. All commands for an owner read and change the number of its destinations.
  static std::string changes(const set_destination&) { return "destinations"; }
  static std::string changes(const set_destination_events&) { return "destinations"; }
  static std::string changes(const enable_destination&) { return "destinations"; }
  static std::string changes(const disable_destination&) { return "destinations"; }
  static std::string changes(const rotate_destination_secret&) { return "destinations"; }

  planned prepare(const set_destination& wanted);
  planned prepare(const set_destination_events& wanted);
  planned prepare(const enable_destination& wanted);
  planned prepare(const disable_destination& wanted);
  planned prepare(const rotate_destination_secret& wanted);

 private:
  /// A destination's row, and its secrets in the clear. `secret` is empty if the row's cannot be opened: then the
  /// destination is not published, and its deliveries wait until it gets a new secret.
  struct known_destination {
    stored_destination row;
    std::string secret;
    std::string previous;
  };

  const known_destination* find(const destination_id& id) const;
  bool has_owner(const set_destination& wanted) const;
  std::size_t count(const std::string& owner, environment env) const;
  std::vector<destination> list_of(const std::string& owner) const;

  known_destination opened(const stored_destination& row) const;
  void remember(known_destination d);
  void publish(const known_destination& d) const;

  known_destination fresh(const set_destination& wanted, const destination_id& id) const;
  void give_new_secret(known_destination& d) const;
  planned with_status(const destination_id& id, destination_status status, std::string reason);
  template <class Answer>
  plan saving(known_destination d, Answer answer);

  merchants& owners_;
  const platforms& platform_owners_;
  directory& published_;
  const crypto::master_key& keys_;
  const wall_clock& clock_;
  listener published_anew_;
  std::unordered_map<destination_id, known_destination> known_;
  std::unordered_map<std::string, std::set<destination_id>> owned_;  ///< by owner
};

}  // namespace gateway::actors
