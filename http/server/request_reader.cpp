#include "request_reader.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include "gateway/domain/text.hpp"

namespace gateway::http {

namespace beast = boost::beast;
using parse_error = boost::system::error_code;

namespace {

constexpr std::size_t small_buffer = 2048;   ///< kept by an idle connection
constexpr std::size_t least_space = 512;     ///< a smaller read is not worth its cost
constexpr std::size_t chunk_slack =
    16'384;  ///< room for encoded chunks besides the decoded body, and for the overhead of their frames
constexpr std::size_t least_frame = 5;       ///< of a chunk: a digit and two line ends
constexpr std::size_t least_chunk = 4;  ///< Beast aborts if it has seen only three bytes of a last chunk before
constexpr unsigned empty_lines = 8;  ///< skipped before a request line

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }
bool same(std::string_view a, std::string_view b) { return beast::iequals({a.data(), a.size()}, {b.data(), b.size()}); }

/// Whether the text has only characters of a host and port: in a user, path or list, other parsers might find another
/// host.
bool is_host(std::string_view text) {
  constexpr std::string_view marks = "-._~!$&'()*+;=%:[]";
  return std::ranges::all_of(text, [&](char c) { return is_letter_or_digit(c) || marks.find(c) != marks.npos; });
}

/// Splits `/path?query`, or the absolute form that is sent to proxies.
bool split_target(std::string_view target, request& into) {
  const auto separator = target.find("://");
  const auto scheme = target.substr(0, separator);
  const bool absolute = separator != target.npos && (same(scheme, "https") || same(scheme, "http"));
  if (absolute) {
    target.remove_prefix(separator + 3);
    const auto host = target.substr(0, target.find_first_of("/?"));
    if (host.empty() || !is_host(host)) return false;
    target.remove_prefix(host.size());
  }
  const auto question = target.find('?');
  into.path = target.substr(0, question);
  into.has_query = question != target.npos;
  into.query = into.has_query ? target.substr(question + 1) : std::string_view{};
  if (absolute && into.path.empty()) into.path = "/";
  return into.path.starts_with('/') || (into.path == "*" && into.method == "OPTIONS") || into.method == "CONNECT";
}

/// Beast accepts a list of equal lengths as one length; other parsers take the first of them, or none.
bool is_length(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

/// A folded line begins with white space.
bool has_folded_line(std::string_view lines) {
  return lines.find("\n ") != lines.npos || lines.find("\n\t") != lines.npos;
}

}  // namespace

/// Keeps views of what the routes read, and copies no field.
class request_reader::parser : public beast::http::basic_parser<true> {
 public:
  explicit parser(request& into) : into_(into) {
    header_limit(std::numeric_limits<std::uint32_t>::max());  // the reader enforces its own limit
    body_limit(boost::none);
    eager(true);
  }

  int hosts = 0;
  bool host_ok = true;
  int lengths = 0;
  bool length_ok = true;
  int encodings = 0;
  bool http_1_1 = false;
  bool chunked_only = true;
  bool target_ok = false;
  bool expects_continue = false;
  char* decoded_end = nullptr;  ///< where the next byte of a chunked body is written
  std::size_t decoded = 0;
  std::size_t framing = 0;  ///< bytes of the chunks so far that are not data
  const char* trailer = nullptr;  ///< of a chunked body: its last line and what follows
  std::size_t body_most = 0;
  bool too_large = false;
  bool too_small = false;  ///< the chunks are too small

 private:
  using text = beast::string_view;

  void on_request_impl(beast::http::verb, text method, text target, int version, parse_error&) override {
    into_.method = view(method);
    http_1_1 = version == 11;
    target_ok = split_target(view(target), into_);
  }

  void on_field_impl(beast::http::field field, text name, text value, parse_error&) override {
    if (in_body_) return;  // a trailer must not be taken for a header
    switch (field) {
      case beast::http::field::host:
        ++hosts;
        host_ok = is_host(view(value));
        return;
      case beast::http::field::content_length:
        ++lengths;
        length_ok = is_length(view(value));
        return;
      case beast::http::field::transfer_encoding:
        ++encodings;
        chunked_only = chunked_only && same(view(value), "chunked");
        return;
      case beast::http::field::expect: expects_continue = same(view(value), "100-continue"); return;
      case beast::http::field::content_type: keep(into_.content_type, value); return;
      case beast::http::field::cookie:
        if (!into_.cookie) into_.cookie = view(value);
        return;
      case beast::http::field::unknown: on_own_field(view(name), value); return;
      default: return;
    }
  }

  void on_own_field(std::string_view name, text value) {
    switch (name.size()) {  // by length first: six comparisons for each unknown header would cost more
      case 11:
        if (same(name, "traceparent")) keep_traceparent(view(value));
        return;
      case 15:
        if (same(name, "Idempotency-Key")) keep(into_.idempotency_key, value, into_.repeated_idempotency_key);
        return;
      case 16:
        if (same(name, "X-Service-Key-Id"))
          keep(into_.key_id, value);
        else if (same(name, "Service-Merchant"))
          keep(into_.service_merchant, value);
        return;
      case 19:
        if (same(name, "X-Service-Timestamp"))
          keep(into_.timestamp, value);
        else if (same(name, "X-Service-Signature"))
          keep(into_.signature, value);
        return;
      default: return;
    }
  }

  void keep(std::optional<std::string_view>& slot, text value) { keep(slot, value, into_.repeated); }

  static void keep(std::optional<std::string_view>& slot, text value, bool& repeated) {
    repeated = repeated || slot.has_value();
    slot = view(value);
  }

  /// An invalid trace does not invalidate the request.
  void keep_traceparent(std::string_view value) {
    into_.traceparent = std::exchange(seen_traceparent_, true) ? std::string_view{} : value;
  }

  void on_response_impl(int, text, int, parse_error&) override {}
  void on_header_impl(parse_error&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, parse_error&) override { in_body_ = true; }
  std::size_t on_body_impl(text body, parse_error&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t size, text extensions, parse_error& ec) override {
    // Beast allows any character between quotes here; another parser may end the line at a bare line feed.
    if (std::ranges::any_of(view(extensions), [](char c) { return c != '\t' && is_control(c); })) {
      ec = beast::http::error::bad_chunk_extension;
      return;
    }
    framing += least_frame + extensions.size();
    if (framing > decoded + chunk_slack) {
      too_small = true;
      ec = beast::http::error::bad_chunk;
      return;
    }
    if (size == 0) trailer = extensions.data() + extensions.size();
    if (size <= body_most - decoded) return;
    too_large = true;
    ec = beast::http::error::body_limit;
  }
  /// Decoded in place: a chunk's data never lies before its destination.
  std::size_t on_chunk_body_impl(std::uint64_t, text body, parse_error&) override {
    std::memmove(decoded_end, body.data(), body.size());
    decoded_end += body.size();
    decoded += body.size();
    return body.size();
  }
  void on_finish_impl(parse_error&) override {}

  request& into_;
  bool in_body_ = false;
  bool seen_traceparent_ = false;
};

request_reader::request_reader(const http_limits& limits, buffer_budget* budget) : limits_(limits), budget_(budget) {}
request_reader::~request_reader() { count(0); }

std::span<char> request_reader::free_space() {
  bool reserved = false;
  if (head_size_ == 0) {
    // One byte beyond the limit suffices to know that a header is too large.
    reserved = reserve(least_space, std::max(limits_.header_bytes + 1, size() + 1));
  } else if (chunks_) {
    reserved = reserve(least_space, head_size_ + limits_.body_bytes + chunk_slack);
  } else {
    reserved = reserve(1, head_size_ + body_size_);
  }
  if (!reserved) {
    reject(error_code::overloaded, "Too many large requests are arriving. Retry with the same Idempotency-Key.");
    return {};
  }
  return {bytes_.get() + end_, capacity_ - end_};
}

request_reader::state request_reader::received(std::size_t count) {
  end_ += count;
  return advance();
}

request_reader::state request_reader::next() {
  begin_ += request_size_;
  scanned_ = line_ = head_size_ = body_size_ = request_size_ = 0;
  skipped_ = 0;
  parsed_at_ = nullptr;
  chunks_.reset();
  keep_alive_ = expects_continue_ = false;
  current_ = {};
  if (empty()) {
    shrink();
    return state::partial;
  }
  return advance();
}

bool request_reader::takes_continue() noexcept { return std::exchange(expects_continue_, false); }

request_reader::state request_reader::advance() {
  if (head_size_ == 0) return find_head();
  return chunks_ ? read_chunks() : read_body();
}

/// Line by line, so that a bare line feed or a folded line is found before Beast parses it.
request_reader::state request_reader::find_head() {
  for (;;) {
    const auto* found = static_cast<const char*>(std::memchr(start() + scanned_, '\n', size() - scanned_));
    if (found == nullptr) {
      scanned_ = size();
      if (size() > limits_.header_bytes) break;
      return state::partial;
    }
    const auto at = static_cast<std::size_t>(found - start());
    if (at >= limits_.header_bytes) break;  // first, so that the result does not depend on how the bytes were split
    if (at == line_ || start()[at - 1] != '\r') return reject(error_code::bad_request);
    const bool blank = at - line_ == 1;
    if (blank && line_ == 0) {  // RFC 9112: an empty line before the request line is skipped
      if (++skipped_ > empty_lines) return reject(error_code::bad_request);
      begin_ += 2;
      scanned_ = 0;
      continue;
    }
    if (line_ > 0 && (start()[line_] == ' ' || start()[line_] == '\t')) return reject(error_code::bad_request);
    scanned_ = line_ = at + 1;
    if (!blank) continue;
    head_size_ = line_;
    return read_head();
  }
  return reject(error_code::headers_too_large);
}

bool request_reader::parse_head(parser& into) {
  current_ = {};
  parse_error ec;
  const auto used = into.put(boost::asio::const_buffer{start(), head_size_}, ec);
  parsed_at_ = start();
  return !ec && used == head_size_ && into.is_header_done();
}

request_reader::state request_reader::read_head() {
  parser head{current_};
  if (!parse_head(head)) return reject(error_code::bad_request);
  const bool one_framing = head.lengths + head.encodings <= 1 && head.length_ok && head.chunked_only &&
                           (head.http_1_1 || head.encodings == 0);
  const bool one_host = head.host_ok && (head.hosts == 1 || (head.hosts == 0 && !head.http_1_1));
  if (!one_framing || !one_host || !head.target_ok) return reject(error_code::bad_request);
  http_1_0_ = !head.http_1_1;
  keep_alive_ = head.keep_alive();
  expects_continue_ = head.expects_continue && head.http_1_1;
  if (head.chunked()) {
    chunks_ = std::make_unique<parser>(current_);
    chunks_->body_most = limits_.body_bytes;
    return parse_head(*chunks_) ? read_chunks() : reject(error_code::bad_request);
  }
  const auto length = head.content_length().value_or(0);
  if (length > limits_.body_bytes) return reject(error_code::body_too_large);
  body_size_ = static_cast<std::size_t>(length);
  return read_body();
}

request_reader::state request_reader::read_body() {
  if (size() < head_size_ + body_size_) return state::partial;
  return finish(head_size_ + body_size_);
}

/// The buffer contains the header, the body decoded so far, and what is still encoded.
request_reader::state request_reader::read_chunks() {
  auto& chunks = *chunks_;
  char* const encoded = start() + head_size_ + body_size_;
  const auto waiting = static_cast<std::size_t>(start() + size() - encoded);
  if (waiting < least_chunk) return state::partial;
  parse_error ec;
  chunks.decoded_end = encoded;
  const auto used = chunks.put(boost::asio::const_buffer{encoded, waiting}, ec);
  if (chunks.too_large) return reject(error_code::body_too_large);
  // Limits chunks of a single byte: a million such chunks take an HTTP thread 18 ms.
  if (chunks.too_small) return reject(error_code::bad_request, "The chunks of the request's body are too small.");
  if (ec && ec != beast::http::error::need_more) return reject(error_code::bad_request);
  const bool folded = chunks.trailer != nullptr &&
                      has_folded_line({chunks.trailer, static_cast<std::size_t>(encoded + used - chunks.trailer)});
  if (folded) return reject(error_code::bad_request);

  std::memmove(chunks.decoded_end, encoded + used, waiting - used);
  body_size_ = chunks.decoded;
  end_ = static_cast<std::size_t>(chunks.decoded_end - bytes_.get()) + waiting - used;
  if (chunks.is_done()) return finish(head_size_ + body_size_);
  const bool line_too_long = waiting - used >= chunk_slack / 2;
  return line_too_long ? reject(error_code::bad_request) : state::partial;
}

request_reader::state request_reader::finish(std::size_t size) {
  if (parsed_at_ != start()) {  // the buffer grew for the body, so the views must be renewed
    parser again{current_};
    if (!parse_head(again)) return reject(error_code::bad_request);
  }
  expects_continue_ = false;  // the body has arrived
  current_.head = {start(), head_size_};
  current_.body = {start() + head_size_, body_size_};
  request_size_ = size;
  return state::whole;
}

request_reader::state request_reader::reject(error_code code, std::string_view message) {
  why_ = {code, std::string{message}};
  keep_alive_ = expects_continue_ = false;
  return state::rejected;
}

/// Makes room for at least `more` bytes, but never for more than `most` in all. False if the budget has none left.
bool request_reader::reserve(std::size_t more, std::size_t most) {
  if (begin_ > 0) {
    std::memmove(bytes_.get(), start(), size());
    end_ -= begin_;
    begin_ = 0;
  }
  if (capacity_ - end_ >= more || (capacity_ >= most && capacity_ > end_)) return true;
  const auto wanted = std::max({small_buffer, capacity_ * 2, end_ + more});
  const auto bytes = std::max(std::min(wanted, most), std::min(small_buffer, wanted));
  if (!count(bytes)) return false;
  auto grown = std::make_unique_for_overwrite<char[]>(bytes);
  if (end_ > 0) std::memcpy(grown.get(), bytes_.get(), end_);
  bytes_ = std::move(grown);
  capacity_ = bytes;
  return true;
}

/// Adjusts the budget to a buffer of that size.
bool request_reader::count(std::size_t capacity) {
  if (budget_ == nullptr) return true;
  const auto counted = capacity - std::min(capacity, buffer_budget::uncounted);
  if (counted > counted_ && !budget_->take(counted - counted_)) return false;
  if (counted < counted_) budget_->give_back(counted_ - counted);
  counted_ = counted;
  return true;
}

void request_reader::shrink() {
  begin_ = end_ = 0;
  if (capacity_ <= small_buffer) return;
  count(0);
  bytes_.reset();
  capacity_ = 0;
}

}  // namespace gateway::http
