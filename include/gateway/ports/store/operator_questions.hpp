// Questions about the operators of the console.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/ports/store/operator_rows.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

/// For signing in, and for each request of a session.
struct find_operator {
  using answer = struct operator_lookup;
  static constexpr auto reader = store_reader_kind::quick;

  std::string key;  ///< operator_key_of() the name
};

struct stored_operator : save_operator {
  std::string password_hash{};  ///< empty: the link was not used yet
  std::string sealed_totp{};
  std::int64_t totp_step = 0;  ///< the last one that was used
};

struct operator_lookup {
  std::optional<stored_operator> found;
};

/// All operators, ordered by name.
struct find_operators {
  using answer = struct operators_lookup;
  static constexpr auto reader = store_reader_kind::quick;
};

struct listed_operator {
  std::string name;
  operator_role role = operator_role::viewer;
  bool is_set_up = false;  ///< has a password and a second factor

  bool operator==(const listed_operator&) const = default;
};

struct operators_lookup {
  std::vector<listed_operator> operators;
};

}  // namespace gateway
