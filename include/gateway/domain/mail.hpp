// A mail that the gateway sends to a person. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/time.hpp"

namespace gateway {

/// What a mail is about; it names the template.
enum class mail_kind : unsigned char {
  invitation,
  forgotten_password,
  new_password,         ///< a password was set
  second_factor_on,     ///< a second factor was turned on
  second_factor_off,    ///< a second factor was turned off
  new_browser,          ///< a sign-in from a browser that the account did not know
  destination_failing,  ///< everything at a destination has failed for trouble_after
  destination_disabled,
};

template <>
inline constexpr auto enum_table<mail_kind> =
    enum_names<mail_kind>({{mail_kind::invitation, "invitation"},
                           {mail_kind::forgotten_password, "forgotten_password"},
                           {mail_kind::new_password, "new_password"},
                           {mail_kind::second_factor_on, "second_factor_on"},
                           {mail_kind::second_factor_off, "second_factor_off"},
                           {mail_kind::new_browser, "new_browser"},
                           {mail_kind::destination_failing, "destination_failing"},
                           {mail_kind::destination_disabled, "destination_disabled"}});
inline constexpr auto parse_mail_kind = parse_name<mail_kind>;

/// Whether the mail holds a link that gives access. Such a mail is useless once its link has expired.
constexpr bool holds_link(mail_kind kind) noexcept {
  return kind == mail_kind::invitation || kind == mail_kind::forgotten_password;
}

enum class mail_status : unsigned char {
  pending,  ///< waits for its first or next attempt, or is being sent
  sent,     ///< the mail server has accepted it
  failed,   ///< the mail server has refused it for good, or it could not be sent in time
};

template <>
inline constexpr auto enum_table<mail_status> = enum_names<mail_status>(
    {{mail_status::pending, "pending"}, {mail_status::sent, "sent"}, {mail_status::failed, "failed"}});
inline constexpr auto parse_mail_status = parse_name<mail_status>;

/// How long the gateway tries to send a notice, which has no link that expires.
inline constexpr duration_ms notice_lifetime = std::chrono::hours{3 * 24};
inline constexpr duration_ms password_link_lifetime = std::chrono::hours{1};
/// How long a mail that was sent or has failed is listed.
inline constexpr duration_ms ended_mail_kept = std::chrono::hours{30 * 24};
/// While a node has a mail's lease, no other node sends it. The client ends every attempt sooner.
inline constexpr duration_ms mail_lease = std::chrono::minutes{5};

/// The pause after this many attempts: half a minute, doubled each time, an hour at most.
duration_ms pause_before_next_mail(std::size_t attempts) noexcept;

/// Whether an address can be written into an SMTP command and into a header: one '@', no spaces, angle brackets, quotes
/// or control characters, at most 320 bytes.
bool is_mail_address(std::string_view text) noexcept;

/// The address of `Name <address>` or of an address alone; empty if the text is neither.
std::string_view address_of_mailbox(std::string_view mailbox) noexcept;

}  // namespace gateway
