// The second factor of a sign-in: six digits that change every 30 s (TOTP, RFC 6238, with HMAC-SHA-1, which phone apps
// support), and recovery codes for a person who has lost the phone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/keyring.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/ports/store/people_questions.hpp"
#include "gateway/ports/store/unit_of_work.hpp"

namespace gateway::http {

// ---- codes of an app ------------------------------------------------------------------------------

inline constexpr std::chrono::seconds totp_step_length{30};
inline constexpr std::size_t totp_digits = 6;
inline constexpr std::size_t totp_secret_size = 20;  ///< bytes, as RFC 4226 recommends

std::string make_totp_secret();
/// The number of steps since 1970.
std::int64_t totp_step_at(time_point at) noexcept;
/// Six digits.
std::string totp_code(std::string_view secret, std::int64_t step);

/// The step that the code belongs to: the current one, or the one before or after it, because phones' clocks differ.
/// Only a step after `last_used` is accepted, so that a code cannot be used twice.
std::optional<std::int64_t> matching_totp_step(std::string_view secret, std::string_view code, time_point now,
                                               std::int64_t last_used);

/// The six digits that a person typed, possibly in groups; nothing if the text is anything else.
std::optional<std::string> typed_totp_code(std::string_view typed);

/// RFC 4648, without padding: the form of a secret that a person types into an app.
std::string base32(std::string_view bytes);
/// Groups of four characters, separated by spaces: a secret as it is shown to a person who types it.
std::string in_groups(std::string_view text);
/// The address that an app reads from a QR code.
std::string otpauth_uri(std::string_view issuer, std::string_view account, std::string_view secret);

// ---- recovery codes -------------------------------------------------------------------------------

inline constexpr std::size_t recovery_code_count = 10;

/// Each code signs in once. The store keeps hashes. A code has 80 random bits, so a plain hash, unsalted and fast,
/// reveals nothing.
struct recovery_codes {
  std::vector<std::string> texts;  ///< `k3zt-0m9q-h7wc-x4ae`
  std::vector<std::string> hashes;
};
recovery_codes make_recovery_codes();

/// The hash of a typed code, in any case and grouping; `o` is read as 0, `i` and `l` as 1. Nothing if the text is not a
/// recovery code.
std::optional<std::string> typed_recovery_hash(std::string_view typed);

// ---- at rest --------------------------------------------------------------------------------------

/// Sealed for one person: another person's row cannot be opened with it.
std::string seal_totp_secret(const crypto::derived_keys& key, const user_id& whose, std::string_view secret);
std::optional<std::string> open_totp_secret(const crypto::derived_keys& key, const user_id& whose,
                                            std::string_view sealed);

/// The claim that spends the typed code; nothing if it is not valid for this person. Only the commit shows whether a
/// recovery code is the person's and still unspent: otherwise the claim is lost.
std::optional<claimed_row> spending_of(const crypto::derived_keys& key, const stored_person& who,
                                       std::string_view typed, time_point now);

}  // namespace gateway::http
