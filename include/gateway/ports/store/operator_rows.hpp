// Changes of the operators of the console. `key` is operator_key_of() the operator's name.
#pragma once

#include <cstdint>
#include <string>

#include "gateway/domain/operator_role.hpp"
#include "gateway/domain/time.hpp"

namespace gateway {

/// Inserts an operator who has no password yet. A second one of the same name, compared without case, is a duplicate
/// record.
struct save_operator {
  std::string name;
  operator_role role = operator_role::viewer;
  std::string setup_id;  ///< of the link that sets the password and the second factor; empty: none is valid
  time_point setup_ends_at{};
  time_point created_at{};

  bool operator==(const save_operator&) const = default;
};

/// Removes the operator's password and second factor, and replaces the link. The claim is lost if there is no such
/// operator.
struct reset_operator {
  std::string key;
  std::string setup_id;
  time_point setup_ends_at{};
};

/// Deletes the operator. The claim is lost if there is none.
struct drop_operator {
  std::string key;
};

/// Sets the password and the second factor by a link, which ends with it. The claim is lost if the link is not the
/// operator's newest, was used, or has expired.
struct set_up_operator {
  std::string key;
  std::string setup_id;
  std::string password_hash;
  std::string sealed_totp;  ///< AES-256-GCM under the master key, base64
  time_point at{};
};

/// A code of the second factor is used to sign in. The claim is lost if this step or a later one was used before, or if
/// the password or the second factor has changed.
struct spend_operator_code {
  std::string key;
  std::string password_hash;
  std::string sealed_totp;
  std::int64_t step = 0;  ///< RFC 6238: T
};

}  // namespace gateway
