// The directory's merchants, with their connections and routes.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/directory/directory.hpp"
#include "gateway/ports/store/directory_questions.hpp"
#include "plan.hpp"

namespace gateway::actors {

/// Holds the rows of the merchants that were looked up, and publishes the merchants. Used by the directory actor only:
/// a plan refers to these rows, and is executed before they are read again.
class merchants {
 public:
  /// Both arguments must outlive it.
  merchants(directory& published, const wall_clock& clock) : published_{published}, clock_{clock} {}

  /// Stores the rows of merchants. Publishes nothing yet.
  void adopt(const directory_lookup& rows);
  void publish(const directory_lookup& rows) const;

  bool has(const merchant_id& id) const { return known_.contains(id); }
  std::size_t count() const { return known_.size(); }
  std::vector<merchant_id> all() const;
  /// Sets the merchant's own destinations. Publishes nothing yet, and does nothing if there is no such merchant.
  void set_destinations(const merchant_id& id, std::vector<destination> result);
  /// Does nothing if there is no such merchant.
  void publish(const merchant_id& id) const;

  /// As given at creation: empty if none was given, or if there is no such merchant.
  const std::string& owner_email(const merchant_id& id) const;
  /// Empty if there is no such merchant.
  const std::string& name(const merchant_id& id) const;
  /// Sets the user for whom setup links are made; empty: none. Otherwise as set_destinations.
  void set_owner(const merchant_id& id, user_id owner);
  /// The creation of a merchant, without its owner.
  struct creation {
    merchant_id id;
    plan how;
  };
  creation creation_of(const create_merchant& wanted);

  /// The name of the entry that a command reads and then changes; empty if it only adds an entry, which no other
  /// command can name yet.
  static std::string changes(const set_connection& wanted) { return wanted.merchant.value; }
  static std::string changes(const set_route& wanted) { return wanted.merchant.value; }
  static std::string changes(const make_chargeable& wanted) { return wanted.merchant.value; }
  static std::string changes(const follow_account& wanted) { return wanted.merchant.value; }
  static std::string changes(const set_branding& wanted) { return wanted.merchant.value; }

  planned prepare(const set_connection& wanted);
  planned prepare(const set_route& wanted);
  planned prepare(const make_chargeable& wanted);
  planned prepare(const follow_account& wanted);
  planned prepare(const set_branding& wanted);

 private:
  struct known_merchant {
    merchant shown;  ///< without the derived parts: connections, routes
    std::string owner_email;
    std::vector<stored_connection> connections;
    std::vector<stored_route> routes;
  };

  static bool can_be_charged(const known_merchant& m, environment env);
  /// Null if there is none.
  static const stored_connection* connection_of(const known_merchant& m, environment env, provider_kind provider);
  /// The new row of this connection. An existing row keeps its id, and its account unless `link` has another.
  static stored_connection row_of(const known_merchant& m, connection link);
  /// Adds a connection that can be charged, and a route by it if there is none.
  plan connect(known_merchant& m, stored_connection row, operator_result result);
  known_merchant* find(const merchant_id& id);
  void publish(const known_merchant& m) const;

  directory& published_;
  const wall_clock& clock_;
  std::unordered_map<merchant_id, known_merchant> known_;
};

}  // namespace gateway::actors
