#include "answer_reader.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include "http/status.hpp"

namespace gateway::http {

namespace beast = boost::beast;
using parse_error = boost::system::error_code;

namespace {

constexpr std::string_view head_end = "\r\n\r\n";
constexpr std::string_view first_bytes = "HTTP/1.";
constexpr std::size_t most_line_bytes = 4096;          ///< for a chunk's size and extensions, or a trailer
constexpr std::size_t most_framing_bytes = 256 * 1024;  ///< for all of them

/// Parses the head only. Beast's parser does not read bodies here, because it asserts on a broken chunk and aborts.
class head_parser : public beast::http::basic_parser<false> {
 public:
  explicit head_parser(std::size_t bytes) {
    headers.reserve(bytes);
    header_limit(std::numeric_limits<std::uint32_t>::max());  // the reader enforces its own limit
    body_limit(boost::none);
  }

  int status = 0;
  http_fields headers;

 private:
  using text = beast::string_view;

  void on_response_impl(int code, text, int, parse_error&) override { status = code; }
  void on_field_impl(beast::http::field, text name, text value, parse_error&) override {
    headers.add({name.data(), name.size()}, {value.data(), value.size()});
  }
  void on_request_impl(beast::http::verb, text, text, int, parse_error&) override {}
  void on_header_impl(parse_error&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, parse_error&) override {}
  std::size_t on_body_impl(text body, parse_error&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, text, parse_error&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, text body, parse_error&) override { return body.size(); }
  void on_finish_impl(parse_error&) override {}
};

/// The size at the start of a chunk's line.
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

answer_reader::state answer_reader::pass_limit() {
  past_limit_ = true;
  return state::garbage;
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
    const auto most_read = std::max(most_body_bytes_, most_answer_body_bytes);
    if (body_bytes_ > most_read || framing_bytes_ > most_framing_bytes) reached = state::cut;
    if (!reached) continue;
    if (*reached == state::cut || *reached == state::garbage) keep_alive_ = false;
    answer_.cut = answer_.cut || *reached == state::cut;
    return *reached;
  }
}

/// Nothing if parsing can continue.
std::optional<answer_reader::state> answer_reader::read_head() {
  const auto compared = std::min(input_.size(), first_bytes.size());
  if (std::string_view{input_}.substr(0, compared) != first_bytes.substr(0, compared)) return state::garbage;
  const auto end = input_.find(head_end, scanned_);
  const auto size = end == input_.npos ? input_.size() : end + head_end.size();
  if (size > most_answer_head_bytes) return pass_limit();
  if (end == input_.npos) {
    scanned_ = size - std::min(size, head_end.size() - 1);
    return state::partial;
  }

  head_parser head{size};
  parse_error ec;
  const auto used = head.put(boost::asio::const_buffer{input_.data(), size}, ec);
  if (ec || used != size || !head.is_header_done()) return state::garbage;
  input_.erase(0, size);
  scanned_ = 0;
  if (status::is_interim(head.status)) {
    if (++interim_ > most_interim_answers) return pass_limit();
    return std::nullopt;
  }

  const bool switched = head.status == status::switching_protocols;
  answer_.status = static_cast<std::uint16_t>(head.status);
  answer_.headers = std::move(head.headers);
  keep_alive_ = head.keep_alive() && !switched;
  if (switched || status::is_bodyless(head.status)) return state::whole;
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
  if (!line) return input_.size() > most_line_bytes ? pass_limit() : state::partial;
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
  const auto room = most_body_bytes_ - answer_.body.size();
  answer_.body.append(input_, 0, std::min(room, count));
  answer_.cut = answer_.cut || count > room;
  body_bytes_ += count;
  input_.erase(0, count);
}

}  // namespace gateway::http
