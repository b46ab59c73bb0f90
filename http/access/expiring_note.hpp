// Texts that the gateway gives to browsers and verifies when they come back: each has one purpose and expires. Everyone
// can read the signed ones, only the gateway the sealed ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "gateway/base/keyring.hpp"
#include "gateway/domain/time.hpp"

namespace gateway::http {

/// A crypto::sign_token() of a JSON object: `purpose` unless that is empty, the fields, and `expires`.
std::string sign_note(const crypto::derived_keys& key, std::string_view purpose, const boost::json::object& fields,
                      time_point expires);

class signed_note {
 public:
  /// Nothing if the token is forged, expired or made for another purpose.
  static std::optional<signed_note> read(std::string_view token, std::string_view purpose,
                                         const crypto::derived_keys& key, time_point now);

  /// Empty if there is no such text.
  std::string text(std::string_view name) const;
  time_point expires() const noexcept { return expires_; }

 private:
  signed_note(boost::json::object fields, time_point expires);

  boost::json::object fields_;
  time_point expires_;
};

/// Seals the time of expiry in milliseconds, a line end, and the text.
std::string seal_note(const crypto::derived_keys& key, std::string_view purpose, std::string_view text,
                      time_point expires);
/// The text; nothing if the note is forged, expired or made for another purpose.
std::optional<std::string> open_note(const crypto::derived_keys& key, std::string_view purpose, std::string_view sealed,
                                     time_point now);

/// `expires`: in milliseconds. A text that is no time has expired.
bool has_expired(std::string_view expires, time_point now);

}  // namespace gateway::http
