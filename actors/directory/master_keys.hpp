// The part of the directory that owns the master keys: their rows, which key is current, and how this node gets a key
// that another node has made.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/keyring.hpp"
#include "gateway/base/master_key_file.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/ports/store/directory_questions.hpp"
#include "plan.hpp"

namespace gateway::actors {

class master_keys {
 public:
  /// `ring` has the keys that the database names. `source` may be null: then there is one key, which never changes.
  /// `among_others`: whether nodes share the database.
  master_keys(crypto::keyring& ring, const master_key_source* source, const wall_clock& clock, bool among_others)
      : ring_{ring}, source_{source}, clock_{clock}, among_others_{among_others} {}

  /// Stores the rows, if there are any. False, without a change, if a key that is not retired is not available.
  bool adopt(const directory_lookup& rows);

  template <class Command>
  static std::string changes(const Command&) {
    return "the master key";
  }
  planned prepare(const offer_master_key& wanted);
  planned prepare(const promote_master_key& wanted);
  planned prepare(const withdraw_master_key& wanted);
  planned prepare(const retire_master_key& wanted);

 private:
  using key_ptr = std::shared_ptr<const crypto::master_key>;
  struct held_key {
    std::string fingerprint;
    key_ptr key;
  };

  save_master_key* find(std::string_view id);
  bool is_known(const named_master_key& key) const;
  key_ptr held(const save_master_key& row) const;
  key_ptr in_ring(const save_master_key& row) const;
  key_ptr unwrapped(const save_master_key& row) const;
  std::vector<named_master_key> keys_of_source() const;
  bool hold_all();
  void forget_retired();
  void use();
  std::string wrapped(const named_master_key& key, std::string_view id) const;
  plan offering(const named_master_key& key);
  plan changing(std::string_view id, claimed_row claim, std::string answered, master_key_status to);

  crypto::keyring& ring_;
  const master_key_source* source_;
  const wall_clock& clock_;
  bool among_others_;
  std::vector<save_master_key> rows_;  ///< ordered by position
  std::vector<held_key> held_;
};

}  // namespace gateway::actors
