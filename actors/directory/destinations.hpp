// The directory's destinations of webhooks, with their secrets.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/base/keyring.hpp"
#include "gateway/directory/directory.hpp"
#include "gateway/ports/mail.hpp"
#include "merchants.hpp"
#include "people.hpp"
#include "plan.hpp"
#include "platforms.hpp"

namespace gateway::actors {

/// Most destinations of a merchant in one mode. A platform has one.
inline constexpr std::size_t most_destinations = 32;
/// Most deleted destinations of an owner in one mode. They are kept, and in memory while the owner is known.
inline constexpr std::size_t most_deleted_destinations = 1'000;

/// Derived from its arguments, so that two nodes that set the same destination at the same time set only one. `taken`
/// counts the ids for this URL that other destinations have: of deleted ones, and of those that have moved to another
/// URL since.
destination_id destination_id_of(destination_kind kind, const std::string& owner, environment env,
                                 const std::string& url, std::size_t taken = 0);

/// Holds the destinations of known owners, seals and opens their secrets, publishes them, and gives each merchant its
/// own. Destinations of a suspended platform are published as held.
class destinations {
 public:
  using listener = std::function<void(const destination_id&)>;

  /// All arguments but `published_anew` must outlive it; `published_anew` is called for each destination that is
  /// published. `mails`: null if no mail is configured.
  destinations(merchants& owners, const people& persons, const mail_sealer* mails, const platforms& platform_owners,
               directory& published, const crypto::keyring& keys, const wall_clock& clock, listener published_anew)
      : owners_{owners},
        persons_{persons},
        mails_{mails},
        platform_owners_{platform_owners},
        published_{published},
        keys_{keys},
        clock_{clock},
        published_anew_{std::move(published_anew)} {}

  /// Stores the destinations among these rows, and gives merchants theirs. Publishes nothing yet.
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
  static std::string changes(const change_destination_url&) { return "destinations"; }
  static std::string changes(const name_destination&) { return "destinations"; }
  static std::string changes(const set_standard_webhooks&) { return "destinations"; }
  static std::string changes(const delete_destination&) { return "destinations"; }
  static std::string changes(const rotate_destination_secret&) { return "destinations"; }
  static std::string changes(const report_failing_destination&) { return "destinations"; }

  planned prepare(const set_destination& wanted);
  planned prepare(const set_destination_events& wanted);
  planned prepare(const enable_destination& wanted);
  planned prepare(const disable_destination& wanted);
  planned prepare(const change_destination_url& wanted);
  planned prepare(const name_destination& wanted);
  planned prepare(const set_standard_webhooks& wanted);
  planned prepare(const delete_destination& wanted);
  planned prepare(const rotate_destination_secret& wanted);
  planned prepare(const report_failing_destination& wanted);

 private:
  /// A destination's row, and its secrets in the clear. `secret` is empty if it cannot be opened. The destination is
  /// then not published, and its deliveries wait until it gets a new secret.
  struct known_destination {
    stored_destination row;
    std::string secret;
    std::string previous;
  };

  const known_destination* find(const destination_id& id) const;
  /// As find(), without deleted destinations.
  const known_destination* find_kept(const destination_id& id) const;
  /// The merchant's kept destination with this URL, or the platform's.
  const known_destination* find_same(const set_destination& wanted) const;
  const known_destination* find_by_url(const std::string& owner, environment env, const std::string& url) const;
  destination_id free_id(const set_destination& wanted) const;
  bool has_owner(const set_destination& wanted) const;
  std::size_t count(const std::string& owner, environment env, bool deleted) const;
  /// The owner's destinations that are not deleted.
  std::vector<destination> list_of(const std::string& owner) const;

  known_destination opened(const stored_destination& row) const;
  void remember(known_destination d);
  void publish(const known_destination& d) const;

  known_destination fresh(const set_destination& wanted, const destination_id& id) const;
  void give_new_secret(known_destination& d) const;
  void reseal_old(known_destination& d) const;
  planned with_status(known_destination d, destination_status status, std::string reason);
  /// Queues a mail to each owner, if mail is configured. Mails about the same `since` are queued once.
  void add_mails(unit_of_work& unit, const destination& about, mail_kind kind, time_point since,
                 const std::string& reason) const;
  plan saving(known_destination d);
  template <class Answer>
  plan saving(known_destination d, Answer answer);

  merchants& owners_;
  const people& persons_;
  const mail_sealer* mails_;
  const platforms& platform_owners_;
  directory& published_;
  const crypto::keyring& keys_;
  const wall_clock& clock_;
  listener published_anew_;
  std::unordered_map<destination_id, known_destination> known_;
  std::unordered_map<std::string, std::set<destination_id>> owned_;  ///< by owner
};

}  // namespace gateway::actors
