// The directory's merchants, with their users, connections and routes.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/directory.hpp"
#include "plan.hpp"

namespace gateway::actors {

/// add_user, once its password is hashed.
struct add_hashed_user {
  merchant_id merchant;
  std::string email;
  std::string password_hash;
};

/// Knows every merchant's rows and publishes the merchants made of them. Belongs to the directory actor: a plan refers
/// to what is known, and is carried out before the rows are adopted anew.
class merchants {
 public:
  /// Both outlive it.
  merchants(directory& published, const wall_clock& clock) : published_{published}, clock_{clock} {}

  /// From now on the rows are these. Nothing is published yet.
  void adopt(const directory_lookup& rows);
  void publish_all() const;

  bool has(const merchant_id& id) const { return known_.contains(id); }
  /// These are told of its payments from now on. Nothing is published yet, and nothing done if there is no such
  /// merchant.
  void set_destinations(const merchant_id& id, std::vector<destination> told);
  /// Nothing if there is no such merchant.
  void publish(const merchant_id& id) const;

  /// What a command reads and then changes, by name; empty if it only adds what nobody else can know yet.
  static std::string changes(const create_merchant&) { return {}; }
  static std::string changes(const add_hashed_user& wanted) { return wanted.merchant.value; }
  static std::string changes(const set_connection& wanted) { return wanted.merchant.value; }
  static std::string changes(const set_route& wanted) { return wanted.merchant.value; }

  planned prepare(const create_merchant& wanted);
  planned prepare(const add_hashed_user& wanted);
  planned prepare(const set_connection& wanted);
  planned prepare(const set_route& wanted);

 private:
  struct known_user {
    user_id id;
    std::string email;
  };
  struct known_merchant {
    merchant shown;  ///< without what is worked out from the rest: owner, connections, routes
    std::string owner_email;
    std::vector<known_user> users;
    std::vector<stored_connection> connections;
    std::vector<stored_route> routes;
  };

  known_merchant* find(const merchant_id& id);
  void publish(const known_merchant& m) const;

  directory& published_;
  const wall_clock& clock_;
  std::unordered_map<merchant_id, known_merchant> known_;
};

}  // namespace gateway::actors
