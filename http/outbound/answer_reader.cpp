#include "answer_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <iomanip>
#include <limits>
#include <locale>
#include <sstream>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

namespace gateway::http {

namespace beast = boost::beast;
using boost::system::error_code;

namespace {

constexpr std::string_view head_end = "\r\n\r\n";
constexpr std::string_view first_bytes = "HTTP/1.";
constexpr std::size_t most_line_bytes = 4096;          ///< of a chunk's size and extensions, or a trailer
constexpr std::size_t most_framing_bytes = 256 * 1024;  ///< of all of them
constexpr std::size_t kept_body_bytes = most_excerpt_bytes + 3;  ///< enough to know whether the last character is whole

/// The head alone: bodies are not Beast's, whose parser takes a broken chunk for a bug of the program and aborts.
class head_parser : public beast::http::basic_parser<false> {
 public:
  head_parser() {
    header_limit(std::numeric_limits<std::uint32_t>::max());  // the reader counts
    body_limit(boost::none);
  }

  unsigned status = 0;
  bool has_retry_after = false;
  std::string retry_after;

 private:
  using text = beast::string_view;

  void on_response_impl(int code, text, int, error_code&) override { status = static_cast<unsigned>(code); }
  void on_field_impl(beast::http::field field, text, text value, error_code&) override {
    if (field != beast::http::field::retry_after || has_retry_after) return;
    has_retry_after = true;
    retry_after.assign(value.data(), value.size());
  }
  void on_request_impl(beast::http::verb, text, text, int, error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(text body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, text, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, text body, error_code&) override { return body.size(); }
  void on_finish_impl(error_code&) override {}
};

/// The size that begins a chunk's line.
std::optional<std::uint64_t> chunk_size_of(std::string_view line) {
  std::uint64_t size = 0;
  const auto [end, fault] = std::from_chars(line.data(), line.data() + line.size(), size, 16);
  if (fault != std::errc{}) return std::nullopt;
  const auto rest = line.substr(static_cast<std::size_t>(end - line.data()));
  if (!rest.empty() && rest.front() != ';' && rest.front() != ' ' && rest.front() != '\t') return std::nullopt;
  return size;
}

}  // namespace

answer_reader::state answer_reader::received(std::string_view bytes) {
  nothing_received_ = nothing_received_ && bytes.empty();
  input_.append(bytes);
  return advance();
}

answer_reader::state answer_reader::ended() {
  keep_alive_ = false;
  return expecting_ == framing::until_end ? state::whole : state::broken;
}

std::optional<std::string_view> answer_reader::retry_after() const noexcept {
  if (!has_retry_after_) return std::nullopt;
  return retry_after_;
}

answer_reader::state answer_reader::advance() {
  for (;;) {
    std::optional<state> reached;
    switch (expecting_) {
      case framing::head: reached = read_head(); break;
      case framing::length:
      case framing::chunk_data:
      case framing::until_end: reached = read_data(); break;
      case framing::chunk_size:
      case framing::chunk_end:
      case framing::trailer: reached = read_chunk_line(); break;
    }
    if (body_bytes_ > most_answer_body_bytes || framing_bytes_ > most_framing_bytes) reached = state::cut;
    if (!reached) continue;
    if (*reached == state::cut || *reached == state::garbage) keep_alive_ = false;
    return *reached;
  }
}

/// Nothing: there is more to look at.
std::optional<answer_reader::state> answer_reader::read_head() {
  const auto compared = std::min(input_.size(), first_bytes.size());
  if (std::string_view{input_}.substr(0, compared) != first_bytes.substr(0, compared)) return state::garbage;
  const auto end = input_.find(head_end, scanned_);
  const auto size = end == input_.npos ? input_.size() : end + head_end.size();
  if (size > most_answer_head_bytes) return state::garbage;
  if (end == input_.npos) {
    scanned_ = size - std::min(size, head_end.size() - 1);
    return state::partial;
  }

  head_parser head;
  error_code ec;
  const auto used = head.put(boost::asio::const_buffer{input_.data(), size}, ec);
  if (ec || used != size || !head.is_header_done()) return state::garbage;
  input_.erase(0, size);
  scanned_ = 0;
  const bool switched = head.status == 101;
  if (head.status < 200 && !switched) {
    if (++interim_ > most_interim_answers) return state::garbage;
    return std::nullopt;
  }

  status_ = static_cast<std::uint16_t>(head.status);
  keep_alive_ = head.keep_alive() && !switched;
  has_retry_after_ = head.has_retry_after;
  retry_after_ = std::move(head.retry_after);
  if (switched || status_ == 204 || status_ == 304) return state::whole;
  if (head.chunked()) {
    expecting_ = framing::chunk_size;
  } else if (const auto length = head.content_length()) {
    expecting_ = framing::length;
    left_ = *length;
  } else {
    expecting_ = framing::until_end;
  }
  return std::nullopt;
}

std::optional<answer_reader::state> answer_reader::read_data() {
  const bool endless = expecting_ == framing::until_end;
  const auto count = endless ? input_.size() : static_cast<std::size_t>(std::min<std::uint64_t>(left_, input_.size()));
  take_body(count);
  if (!endless) left_ -= count;
  if (endless || left_ > 0) return state::partial;
  if (expecting_ == framing::length) return state::whole;
  expecting_ = framing::chunk_end;
  return std::nullopt;
}

std::optional<answer_reader::state> answer_reader::read_chunk_line() {
  const auto line = next_line();
  if (!line) return input_.size() > most_line_bytes ? state::garbage : state::partial;
  std::optional<state> reached;
  if (expecting_ == framing::chunk_size) {
    const auto size = chunk_size_of(*line);
    if (!size) return state::garbage;
    left_ = *size;
    expecting_ = left_ == 0 ? framing::trailer : framing::chunk_data;
  } else if (expecting_ == framing::chunk_end) {
    if (!line->empty()) return state::garbage;
    expecting_ = framing::chunk_size;
  } else if (line->empty()) {
    reached = state::whole;
  }
  framing_bytes_ += line->size() + 2;
  input_.erase(0, line->size() + 2);
  return reached;
}

std::optional<std::string_view> answer_reader::next_line() const noexcept {
  const auto end = input_.find("\r\n");
  if (end == input_.npos) return std::nullopt;
  return std::string_view{input_}.substr(0, end);
}

void answer_reader::take_body(std::size_t count) {
  const auto room = kept_body_bytes - body_start_.size();
  body_start_.append(input_, 0, std::min(room, count));
  body_bytes_ += count;
  input_.erase(0, count);
}

// ---- what is made of an answer --------------------------------------------------------------------

namespace {

struct character {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: the text does not begin with a character
};

/// By the table of RFC 3629: the first byte says how many follow, and limits the second.
character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xc2 && lead <= 0xdf   ? 2
                            : (lead & 0xf0) == 0xe0        ? 3
                            : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                           : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  const unsigned least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < least || byte(1) > most) return {};
  char32_t code = lead & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  return {code, bytes};
}

bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

constexpr std::string_view replacement = "\xef\xbf\xbd";
constexpr duration_ms most_retry_after = std::chrono::hours{24 * 1000};

std::optional<time_point> read_date(std::string_view text) {
  // In this order: the two obsolete forms must be understood too, says RFC 9110.
  for (const char* form : {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"}) {
    std::istringstream in{std::string{text}};
    in.imbue(std::locale::classic());
    std::tm fields{};
    in >> std::get_time(&fields, form);
    if (in.fail() || in.peek() != std::istringstream::traits_type::eof()) continue;
    const auto year = std::chrono::year{fields.tm_year + 1900};
    const auto month = std::chrono::month{static_cast<unsigned>(fields.tm_mon) + 1};
    const std::chrono::year_month_day day{year, month, std::chrono::day{static_cast<unsigned>(fields.tm_mday)}};
    if (!day.ok()) continue;
    return std::chrono::sys_days{day} + std::chrono::hours{fields.tm_hour} + std::chrono::minutes{fields.tm_min} +
           std::chrono::seconds{fields.tm_sec};
  }
  return std::nullopt;
}

}  // namespace

std::string excerpt_of(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const auto next = first_character(bytes);
    const auto shown = next.bytes == 0         ? replacement
                       : is_control(next.code) ? std::string_view{" "}
                                               : bytes.substr(0, next.bytes);
    if (out.size() + shown.size() > most_excerpt_bytes) break;
    out += shown;
    bytes.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  return out;
}

std::optional<duration_ms> read_retry_after(std::string_view text, time_point now) {
  constexpr auto most_seconds = std::chrono::duration_cast<std::chrono::seconds>(most_retry_after).count();
  if (!text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) {
    std::int64_t seconds = 0;
    const auto fault = std::from_chars(text.data(), text.data() + text.size(), seconds).ec;
    return std::chrono::seconds{fault == std::errc{} ? std::min<std::int64_t>(seconds, most_seconds) : most_seconds};
  }
  const auto date = read_date(text);
  if (!date) return std::nullopt;
  return std::clamp<duration_ms>(*date - now, duration_ms{0}, most_retry_after);
}

attempt_result result_of(std::uint16_t status) noexcept {
  if (status >= 200 && status < 300) return attempt_result::delivered;
  return status == 410 ? attempt_result::gone : attempt_result::rejected;
}

}  // namespace gateway::http
