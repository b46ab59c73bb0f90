// The directory's merchants, with their connections and routes.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/directory.hpp"
#include "plan.hpp"

namespace gateway::actors {

/// Knows the rows of the merchants that have been asked for, and publishes the merchants made of them. Belongs to the
/// directory actor: a plan refers to what is known, and is carried out before the rows are adopted anew.
class merchants {
 public:
  /// Both outlive it.
  merchants(directory& published, const wall_clock& clock) : published_{published}, clock_{clock} {}

  /// From now on the rows of the merchants among these are these. Nothing is published yet.
  void adopt(const directory_lookup& rows);
  void publish(const directory_lookup& rows) const;

  bool has(const merchant_id& id) const { return known_.contains(id); }
  std::size_t count() const { return known_.size(); }
  std::vector<merchant_id> all() const;
  /// These are its own from now on. Nothing is published yet, and nothing done if there is no such
  /// merchant.
  void set_destinations(const merchant_id& id, std::vector<destination> told);
  /// Nothing if there is no such merchant.
  void publish(const merchant_id& id) const;

  /// What it was created with: may be empty, also because there is no such merchant.
  const std::string& owner_email(const merchant_id& id) const;
  /// Setup links are made for this one from now on; empty for nobody. Otherwise as set_destinations.
  void set_owner(const merchant_id& id, user_id owner);
  /// What makes a merchant, without the person who owns it.
  struct creation {
    merchant_id id;
    plan how;
  };
  creation creation_of(const create_merchant& wanted);

  /// What a command reads and then changes, by name; empty if it only adds what nobody else can know yet.
  static std::string changes(const set_connection& wanted) { return wanted.merchant.value; }
  static std::string changes(const set_route& wanted) { return wanted.merchant.value; }
  static std::string changes(const make_chargeable& wanted) { return wanted.merchant.value; }
  static std::string changes(const follow_account& wanted) { return wanted.merchant.value; }

  planned prepare(const set_connection& wanted);
  planned prepare(const set_route& wanted);
  planned prepare(const make_chargeable& wanted);
  planned prepare(const follow_account& wanted);

 private:
  struct known_merchant {
    merchant shown;  ///< without what is worked out from the rest: connections, routes
    std::string owner_email;
    std::vector<stored_connection> connections;
    std::vector<stored_route> routes;
  };

  static bool can_be_charged(const known_merchant& m, environment env);
  /// Null if there is none.
  static const stored_connection* connection_of(const known_merchant& m, environment env, provider_kind provider);
  /// The row of this connection: of the one that is there, which keeps its account unless another is given, or anew.
  static stored_connection row_of(const known_merchant& m, connection link);
  /// Puts a connection that can be charged, and a route by it where there is none.
  plan connect(known_merchant& m, stored_connection row, operator_result told);
  known_merchant* find(const merchant_id& id);
  void publish(const known_merchant& m) const;

  directory& published_;
  const wall_clock& clock_;
  std::unordered_map<merchant_id, known_merchant> known_;
};

}  // namespace gateway::actors
