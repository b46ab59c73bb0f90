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
/// Accepts only steps after `last_used`, so that a code cannot be used twice.
std::optional<std::int64_t> matching_totp_step(std::string_view secret, std::string_view code, time_point now,
                                               std::int64_t last_used);

/// The six digits that a person typed, possibly in groups; nullopt if the text is anything else.
std::optional<std::string> typed_totp_code(std::string_view typed);

/// RFC 4648, without padding: how a secret is typed into an app.
std::string base32(std::string_view bytes);
/// Groups of four characters, separated by spaces: how a secret is shown.
std::string in_groups(std::string_view text);
/// The URI in the QR code that an app reads.
std::string otpauth_uri(std::string_view issuer, std::string_view account, std::string_view secret);

// ---- recovery codes -------------------------------------------------------------------------------

inline constexpr std::size_t recovery_code_count = 10;

/// Each code signs in once. The store keeps hashes. A fast, unsalted hash is safe, because a code has 80 random bits.
struct recovery_codes {
  std::vector<std::string> texts;  ///< `k3zt-0m9q-h7wc-x4ae`
  std::vector<std::string> hashes;
};
recovery_codes make_recovery_codes();

/// The hash of a typed code, in any case and grouping; `o` is read as 0, `i` and `l` as 1. nullopt if the text is not a
/// recovery code.
std::optional<std::string> typed_recovery_hash(std::string_view typed);

// ---- storage --------------------------------------------------------------------------------------

/// Sealed for one person: the text cannot be opened for another.
std::string seal_totp_secret(const crypto::derived_keys& key, const user_id& whose, std::string_view secret);
std::optional<std::string> open_totp_secret(const crypto::derived_keys& key, const user_id& whose,
                                            std::string_view sealed);

/// The claim that marks the typed code as used; nullopt if the code is not valid for this person. A recovery code is
/// checked by the commit: if it is not the person's or is used, the claim is lost.
std::optional<claimed_row> spending_of(const crypto::derived_keys& key, const stored_person& who,
                                       std::string_view typed, time_point now);

}  // namespace gateway::http
