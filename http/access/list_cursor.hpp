// Cursors: where a list continues, as a text that clients send back unchanged. A cursor is authenticated, and is valid
// only for the list, merchant, environment and platform for which it was made. It does not expire.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/base/keyring.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/time.hpp"

namespace gateway::http {

/// What a cursor is bound to.
struct cursor_scope {
  std::string_view list;  ///< the name of the list, such as `disputes`
  const merchant_id& merchant;
  environment env = environment::live;
  std::string_view platform{};  ///< of a list that differs between platforms
};

/// `position`: what the list needs to continue; it is not secret.
std::string make_cursor(const crypto::derived_keys& key, const cursor_scope& of, std::string_view position);
/// The position. Nothing if the cursor is forged or was made for another scope.
std::optional<std::string> read_cursor(const crypto::derived_keys& key, const cursor_scope& of,
                                       std::string_view cursor);

/// A position in a list that is ordered by a time, and by an id where times are equal.
struct timed_position {
  time_point at{};
  std::string id;

  bool operator==(const timed_position&) const = default;
};
std::string make_cursor(const crypto::derived_keys& key, const cursor_scope& of, const timed_position& position);
std::optional<timed_position> read_timed_cursor(const crypto::derived_keys& key, const cursor_scope& of,
                                                std::string_view cursor);

}  // namespace gateway::http
