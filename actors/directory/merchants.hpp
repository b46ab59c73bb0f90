// The directory's merchants, with their connections and routes.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/directory/directory.hpp"
#include "gateway/ports/store/directory_questions.hpp"
#include "plan.hpp"

namespace gateway::actors {

/// Holds the rows of the merchants that were looked up, and publishes the merchants made of them. Belongs to the
/// directory actor: a plan refers to these rows, and is carried out before they are read again.
class merchants {
 public:
  /// Both arguments must outlive it.
  merchants(directory& published, const wall_clock& clock) : published_{published}, clock_{clock} {}

  /// Takes over the rows of the merchants among these. Publishes nothing yet.
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
  /// Sets the person for whom setup links are made; empty for none. Otherwise as set_destinations.
  void set_owner(const merchant_id& id, user_id owner);
  /// The creation of a merchant, without the person who owns it.
  struct creation {
    merchant_id id;
    plan how;
  };
  creation creation_of(const create_merchant& wanted);

  /// The name of what a command reads and then changes; empty if it only adds what no other command can know yet.
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
  /// The new row of this connection: an existing row keeps its id, and its account unless `link` names another.
  static stored_connection row_of(const known_merchant& m, connection link);
  /// Adds a connection that can be charged, and a route by it where there is none.
  plan connect(known_merchant& m, stored_connection row, operator_result result);
  known_merchant* find(const merchant_id& id);
  void publish(const known_merchant& m) const;

  directory& published_;
  const wall_clock& clock_;
  std::unordered_map<merchant_id, known_merchant> known_;
};

}  // namespace gateway::actors
