// The second factor of a sign-in: six digits that change every half minute (TOTP, RFC 6238, with HMAC-SHA-1 as the apps
// on people's phones have it), and recovery codes for somebody who has lost the phone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/store.hpp"

namespace gateway::http {

// ---- codes of an app ------------------------------------------------------------------------------

inline constexpr std::chrono::seconds totp_step_length{30};
inline constexpr std::size_t totp_digits = 6;
inline constexpr std::size_t totp_secret_size = 20;  ///< bytes, as RFC 4226 recommends

std::string make_totp_secret();
/// How many steps there were since 1970.
std::int64_t totp_step_at(time_point at) noexcept;
/// Six digits.
std::string totp_code(std::string_view secret, std::int64_t step);

/// The step that the code is of: the present one, or the one before or after it, because phones' clocks are off. Only a
/// step after `last_used` counts, so that a code which somebody else has seen is worth nothing.
std::optional<std::int64_t> matching_totp_step(std::string_view secret, std::string_view code, time_point now,
                                               std::int64_t last_used);

/// The six digits in what a person typed, who may have written them in groups; nothing if it is something else.
std::optional<std::string> typed_totp_code(std::string_view typed);

/// RFC 4648, without padding: how a secret is written for a person who types it into an app.
std::string base32(std::string_view bytes);
/// The address that an app reads from a QR code.
std::string otpauth_uri(std::string_view issuer, std::string_view account, std::string_view secret);

// ---- recovery codes -------------------------------------------------------------------------------

inline constexpr std::size_t recovery_code_count = 10;

/// Each signs in once. The store keeps the hashes: a code has 80 random bits, so that a hash without a salt and without
/// a cost gives nothing away.
struct recovery_codes {
  std::vector<std::string> texts;  ///< `k3zt-0m9q-h7wc-x4ae`
  std::vector<std::string> hashes;
};
recovery_codes make_recovery_codes();

/// The hash of the code that a person typed, in whichever case and groups; an `o` is a zero, an `i` or `l` a one.
/// Nothing if it is no recovery code.
std::optional<std::string> typed_recovery_hash(std::string_view typed);

// ---- at rest --------------------------------------------------------------------------------------

/// A secret is sealed for one person: nobody's row serves another's.
std::string seal_totp_secret(const crypto::master_key& key, const user_id& whose, std::string_view secret);
std::optional<std::string> open_totp_secret(const crypto::master_key& key, const user_id& whose,
                                            std::string_view sealed);

/// What spends the code that a person typed; nothing if it is none of this person's. Whether a recovery code is one of
/// the person's, and whether another sign-in was faster, only the commit tells: the claim is lost then.
std::optional<claimed_row> spending_of(const crypto::master_key& key, const stored_person& who, std::string_view typed,
                                       time_point now);

}  // namespace gateway::http
