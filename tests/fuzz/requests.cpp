// The bytes of a connection. The first byte says how they are split and how narrow the limits are; the rest is what
// arrives.
//
// The same bytes must give the same requests however they are split; each request must agree with Beast's own parser;
// and a request written again, with a length instead of chunks, must be read as the same. A proxy's header must also
// give the same result however it is split, and end within its bound.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "http/server/proxy_header.hpp"
#include "http/server/remote_address.hpp"
#include "http/server/request_reader.hpp"
#include "must.hpp"

namespace gateway::fuzz {
namespace {

namespace beast = boost::beast;
using http::request_reader;
using state = request_reader::state;

/// A request that owns its bytes.
struct read_request {
  explicit read_request(const request_reader& reader, http::request& r)
      : method(r.method),
        path(r.path),
        query(r.query),
        body(r.body),
        has_query(r.has_query),
        repeated(r.repeated || r.repeated_idempotency_key),
        keep_alive(reader.keep_alive()),
        http_1_0(reader.http_1_0()) {
    const auto keep = [&](const char* name, const std::optional<std::string_view>& value) {
      if (value) headers.emplace_back(name, *value);
    };
    keep("X-Service-Key-Id", r.key_id);
    keep("X-Service-Timestamp", r.timestamp);
    keep("X-Service-Signature", r.signature);
    keep("Service-Merchant", r.service_merchant);
    keep("Idempotency-Key", r.idempotency_key);
    keep("Content-Type", r.content_type);
    keep("Cookie", r.cookie);
  }
  bool operator==(const read_request&) const = default;

  std::string method, path, query, body;
  std::vector<std::pair<std::string, std::string>> headers;
  bool has_query, repeated, keep_alive, http_1_0;
};

/// The result of reading a connection's bytes.
struct reading {
  std::vector<read_request> requests;
  int rejected_with = 0;  ///< 0: it waits for more
  http::error_code why{};

  bool operator==(const reading&) const = default;
};

/// Feeds pieces of at most `piece()` bytes, as far as the reader accepts them.
template <class Piece>
reading read_all(std::string_view bytes, const http_limits& limits, Piece piece) {
  reading all;
  request_reader reader{limits};
  auto now = state::partial;
  for (;;) {
    if (now == state::rejected) {
      all.why = reader.why().code;
      all.rejected_with = row_of(all.why).status;
      must(all.rejected_with == 400 || all.rejected_with == 413 || all.rejected_with == 431,
           "a rejection has one of its statuses");
      must(!reader.keep_alive() && !error_response(reader.why()).body.empty(),
           "a rejection ends the connection and says why");
      return all;
    }
    if (now == state::whole) {
      auto& current = reader.current();
      must(current.body.size() <= limits.body_bytes, "a body is within its limit");
      must(current.path.starts_with('/') || current.path == "*" || current.method == "CONNECT",
           "a path begins with a slash");
      must(current.query.empty() || current.has_query, "a query has its question mark");
      all.requests.emplace_back(reader, current);
      now = reader.next();
      continue;
    }
    must(reader.capacity() <= std::max<std::size_t>(2048, limits.header_bytes + limits.body_bytes + 16'384 + 1),
         "memory is bounded");
    if (bytes.empty()) return all;
    const auto space = reader.free_space();
    must(!space.empty(), "a reader that waits has room");
    const auto count = std::min({bytes.size(), space.size(), piece()});
    std::memcpy(space.data(), bytes.data(), count);
    bytes.remove_prefix(count);
    now = reader.received(count);
  }
}

std::size_t whole() { return SIZE_MAX; }

/// Parses the next request with Beast's parser, which must find one.
void check_against_beast(std::string_view& bytes, const read_request& ours) {
  while (bytes.starts_with("\r\n")) bytes.remove_prefix(2);
  beast::http::request_parser<beast::http::string_body> parser;
  parser.header_limit(UINT32_MAX);
  parser.body_limit(boost::none);
  boost::system::error_code failure;
  bytes.remove_prefix(parser.put(boost::asio::buffer(bytes.data(), bytes.size()), failure));
  must(!failure && parser.is_header_done(), "a header that was read is HTTP/1.1");
  must(parser.keep_alive() == ours.keep_alive,
       "both keep the connection open, or neither");  // before the trailers, which do not affect it
  parser.eager(true);
  if (!parser.is_done()) bytes.remove_prefix(parser.put(boost::asio::buffer(bytes.data(), bytes.size()), failure));
  must(!failure && parser.is_done(), "so is the body");
  const auto& theirs = parser.get();
  must(std::string_view{theirs.method_string()} == ours.method, "the method is the same");
  must(theirs.body() == ours.body, "the body is the same");
  must((theirs.version() == 10) == ours.http_1_0, "the version is the same");
  const std::string_view target = theirs.target();
  must(!target.starts_with('/') || target == ours.path + (ours.has_query ? "?" : "") + ours.query,
       "the target is the same");
  for (const auto& [name, value] : ours.headers) {
    const auto found = theirs.find(name);
    must(found != theirs.end() && (ours.repeated || std::string_view{found->value()} == value), "a header is the same");
  }
}

/// The request in its plainest form.
std::string written(const read_request& r) {
  std::string text =
      r.method + ' ' + r.path + (r.has_query ? "?" + r.query : "") + (r.http_1_0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
  text += "Host: h\r\nConnection: ";
  text += r.keep_alive ? "keep-alive\r\n" : "close\r\n";
  for (const auto& [name, value] : r.headers) text += name + ": " + value + "\r\n";
  if (!r.body.empty()) text += "Content-Length: " + std::to_string(r.body.size()) + "\r\n";
  return text + "\r\n" + r.body;
}

void check_written_again(const read_request& r) {
  if (r.repeated || r.method == "CONNECT") return;  // those two do not expose all that was sent
  const http_limits wide;
  const auto again = read_all(written(r), wide, whole);
  must(again.rejected_with == 0 && again.requests.size() == 1 && again.requests.front() == r,
       "a request written again reads the same");
}

/// Deterministic, so that a finding can be run again.
class dice {
 public:
  explicit dice(std::uint32_t seed) : state_(seed * 2654435761u + 1) {}
  std::size_t operator()(std::size_t most) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return 1 + state_ % most;
  }

 private:
  std::uint32_t state_;
};

/// The result of reading a proxy's header.
struct header_reading {
  http::proxy_header::state now{};
  std::size_t size = 0;
  std::string client;

  bool operator==(const header_reading&) const = default;
};

template <class Piece>
header_reading read_header(std::string_view bytes, Piece piece) {
  http::proxy_header header;
  header_reading read;
  while (read.now == http::proxy_header::state::partial && read.size < bytes.size()) {
    auto part = bytes.substr(read.size, piece());
    const auto before = part.size();
    read.now = header.take(part);
    read.size += before - part.size();
  }
  if (header.client()) read.client = http::address_text(*header.client());
  return read;
}

void check_proxy_header(std::string_view bytes, dice& roll) {
  const auto at_once = read_header(bytes, [] { return std::string_view::npos; });
  must(read_header(bytes, [] { return std::size_t{1}; }) == at_once, "a header byte by byte is the same");
  must(read_header(bytes, [&] { return roll(20); }) == at_once, "a header in pieces is the same");
  must(at_once.size <= http::proxy_header::most_bytes, "a header has an end");
  must(at_once.now != http::proxy_header::state::partial || at_once.size == bytes.size(),
       "a header takes all it needs");
  must(at_once.now != http::proxy_header::state::malformed || at_once.client.empty(), "a malformed one names nobody");
}

void drive(unsigned char how, std::string_view bytes) {
  http_limits limits;
  limits.header_bytes = how & 1 ? 256 : 2048;
  limits.body_bytes = how & 2 ? 16 : 4096;
  dice roll{how};

  const auto at_once = read_all(bytes, limits, whole);
  must(read_all(bytes, limits, [] { return std::size_t{1}; }) == at_once, "byte by byte gives the same");
  must(read_all(bytes, limits, [&] { return roll(how & 4 ? 7 : 300); }) == at_once, "pieces give the same");

  check_proxy_header(bytes, roll);
  auto rest = bytes;
  for (const auto& r : at_once.requests) {
    check_against_beast(rest, r);
    check_written_again(r);
  }
}

}  // namespace
}  // namespace gateway::fuzz

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  if (size == 0) return -1;
  gateway::fuzz::drive(bytes[0], {reinterpret_cast<const char*>(bytes + 1), size - 1});
  return 0;
}
