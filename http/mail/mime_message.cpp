#include "mime_message.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/mail.hpp"
#include "gateway/domain/text.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t longest_mail_line = 998;
constexpr std::size_t longest_quoted_line = 76;
/// Bytes of text in an encoded word of at most 75 characters.
constexpr std::size_t bytes_of_encoded_word = 45;

bool is_plain_ascii(char c) { return c >= ' ' && c <= '~'; }

std::string one_line(std::string_view text) {
  std::string line{text};
  std::ranges::replace_if(line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return line;
}

std::string standard_base64(std::string_view bytes) {
  auto text = crypto::base64url(bytes);
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::string day_and_time(time_point at) {
  constexpr std::array<std::string_view, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>(at - day)};
  const auto two = [](auto number) {
    auto digits = std::to_string(number);
    return digits.size() < 2 ? '0' + digits : digits;
  };
  std::string text{days[std::chrono::weekday{day}.c_encoding()]};
  text.append(", ").append(std::to_string(static_cast<unsigned>(date.day()))).append(" ");
  text.append(months[static_cast<unsigned>(date.month()) - 1]).append(" ");
  text.append(std::to_string(static_cast<int>(date.year()))).append(" ").append(two(time.hours().count()));
  return text.append(":").append(two(time.minutes().count())).append(":").append(two(time.seconds().count())) +
         " +0000";
}

/// Calls `each` with every line, without its end.
template <class Each>
void for_each_line(std::string_view text, Each each) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    each(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool may_be_sent_as_it_is(std::string_view text) {
  bool may = true;
  for_each_line(text, [&](std::string_view line) {
    may = may && line.size() <= longest_mail_line && std::ranges::all_of(line, is_plain_ascii);
  });
  return may;
}

void add_quoted_line(std::string& to, std::string_view line) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::size_t width = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    const bool is_last = i + 1 == line.size();
    const bool plain = is_plain_ascii(line[i]) && line[i] != '=' && !(is_last && line[i] == ' ');
    const std::size_t needed = plain ? 1 : 3;
    if (width + needed >= longest_quoted_line) {
      to += "=\r\n";
      width = 0;
    }
    if (plain)
      to += line[i];
    else
      (to += '=').append(1, digits[byte >> 4]).append(1, digits[byte & 0xf]);
    width += needed;
  }
  to += "\r\n";
}

void add_part(std::string& to, std::string_view boundary, std::string_view type, std::string_view text) {
  const bool plain = may_be_sent_as_it_is(text);
  to.append("--").append(boundary).append("\r\nContent-Type: ").append(type).append("; charset=utf-8\r\n");
  to.append("Content-Transfer-Encoding: ").append(plain ? "7bit" : "quoted-printable").append("\r\n\r\n");
  for_each_line(text, [&](std::string_view line) {
    if (plain)
      to.append(line).append("\r\n");
    else
      add_quoted_line(to, line);
  });
}

/// The name of a mailbox may need encoded words; the address stays as it is.
std::string mailbox_text(std::string_view mailbox) {
  const auto open = mailbox.find('<');
  if (open == mailbox.npos) return one_line(mailbox);
  auto name = mailbox.substr(0, open);
  while (name.ends_with(' ')) name.remove_suffix(1);
  const auto address = '<' + std::string{address_of_mailbox(mailbox)} + '>';
  return name.empty() ? address : header_text(name) + ' ' + address;
}

std::string_view domain_of(std::string_view mailbox) {
  const auto address = address_of_mailbox(mailbox);
  return address.substr(std::min(address.find('@') + 1, address.size()));
}

}  // namespace

std::string header_text(std::string_view text) {
  auto line = one_line(text);
  constexpr std::size_t longest_plain = 200;
  if (std::ranges::all_of(line, is_plain_ascii) && line.find("=?") == line.npos && line.size() <= longest_plain)
    return line;
  std::string encoded;
  std::string_view rest{line};
  while (!rest.empty()) {
    auto bytes = std::min(rest.size(), bytes_of_encoded_word);
    // No character is divided between two words.
    while (bytes > 1 && bytes < rest.size() && (static_cast<unsigned char>(rest[bytes]) & 0xc0) == 0x80) --bytes;
    encoded.append(encoded.empty() ? "" : "\r\n ").append("=?utf-8?B?");
    encoded.append(standard_base64(rest.substr(0, bytes))).append("?=");
    rest.remove_prefix(bytes);
  }
  return encoded;
}

std::string mime_message(const mail_message& mail) {
  // The boundary is random, so the content cannot contain it.
  const auto boundary = "part_" + crypto::random_hex(16);
  std::string out;
  out.append("From: ").append(mailbox_text(mail.from)).append("\r\n");
  out.append("To: ").append(one_line(mail.to)).append("\r\n");
  out.append("Subject: ").append(header_text(mail.subject)).append("\r\n");
  out.append("Date: ").append(day_and_time(mail.at)).append("\r\n");
  out.append("Message-ID: <").append(mail.id).append("@").append(domain_of(mail.from)).append(">\r\n");
  // So that no automatic reply is sent to it.
  out.append("Auto-Submitted: auto-generated\r\nX-Auto-Response-Suppress: All\r\n");
  out.append("MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=\"").append(boundary).append("\"\r\n");
  out.append("\r\n");
  add_part(out, boundary, "text/plain", mail.text);
  add_part(out, boundary, "text/html", mail.html);
  return out.append("--").append(boundary).append("--\r\n");
}

}  // namespace gateway::http
