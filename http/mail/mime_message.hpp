// A mail as it is sent (RFC 5322, RFC 2045): a text and an HTML part that say the same.
#pragma once

#include <string>
#include <string_view>

#include "gateway/domain/time.hpp"

namespace gateway::http {

struct mail_message {
  std::string_view from;  ///< a mailbox: `Name <address>`, or an address
  std::string_view to;    ///< an address
  std::string_view id;    ///< letters, digits and '_': the left part of the Message-ID
  time_point at{};
  std::string_view subject;
  std::string_view text;
  std::string_view html;
};

/// Lines end in CRLF and have at most 998 bytes, all in ASCII. A part with such lines is sent as it is, so that its
/// links are not divided; any other part is quoted-printable.
std::string mime_message(const mail_message& mail);

/// A header's value: ASCII in one line as it is, other text as encoded words.
std::string header_text(std::string_view text);

}  // namespace gateway::http
