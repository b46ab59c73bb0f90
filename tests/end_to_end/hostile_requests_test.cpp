// Requests that two HTTP parsers might read differently, each on its own TLS connection to the real gateway. A second
// request follows each. After a malformed request it must never be answered; after an allowed one it must be, which
// shows that both sides agree where a request ends. (tests/http/ has more of these.)
#include <catch2/catch.hpp>

#include "attack.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

using lines = std::vector<std::string>;
using namespace std::string_literals;

gateway_process& shared() { return shared_gateway(store_kind::sqlite); }

struct attack {
  std::string name;
  std::string bytes;
};

const std::string host = "Host: gateway\r\n";
const std::string next = "GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n";
const std::string refused = "400 bad_request";

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string get(const std::string& target, const std::string& headers = host) {
  return "GET " + target + " HTTP/1.1\r\n" + headers + "\r\n";
}
std::string post(const std::string& headers, const std::string& body) {
  return "POST /v1/nothing HTTP/1.1\r\n" + host + headers + "\r\n" + body;
}
std::string length(const std::string& value) { return post("Content-Length: " + value + "\r\n", "hello"); }
std::string encoded(const std::string& value) { return post("Transfer-Encoding:" + value + "\r\n", "0\r\n\r\n"); }
std::string chunks(const std::string& body) { return post("Transfer-Encoding: chunked\r\n", body); }
std::string sized(const std::string& size) { return chunks(size + "\r\nhello\r\n0\r\n\r\n"); }
std::string trailed(const std::string& trailer) { return chunks("5\r\nhello\r\n0\r\n" + trailer + "\r\n"); }

/// Checks the server's answers to these bytes, and that it then ends the connection.
void check_refused(const attack& one, const std::string& answer, std::size_t piece) {
  CAPTURE(one.name, piece);
  hostile_connection caller{shared().address()};
  REQUIRE(caller.open());
  caller.send_in_pieces(one.bytes + next + next, piece);
  const auto said = caller.listen(3);
  CHECK(said.answers() == lines{answer});
  CHECK(said.closed);
}

void check_answered(const attack& one, const std::string& answer, std::size_t piece) {
  CAPTURE(one.name, piece);
  hostile_connection caller{shared().address()};
  REQUIRE(caller.open());
  caller.send_in_pieces(one.bytes + next, piece);
  CHECK(caller.listen(2).answers() == lines{answer, "200"});
}

}  // namespace

TEST_CASE("a length that is not exactly one number is refused") {
  for (const auto* value : {"5, 5",
                            "5,5",
                            "5,",
                            ",5",
                            "5 5",
                            "5;a",
                            "0x5",
                            "5e0",
                            "5.0",
                            "",
                            "\"5\"",
                            "\v5",
                            "5\f",
                            "-0",
                            "+5",
                            "5_0",
                            "\xd9\xa5",
                            "18446744073709551616",
                            "18446744073709551621",
                            "99999999999999999999999999999999"})
    check_refused({"Content-Length: "s + value, length(value)}, refused, 100'000);
  check_refused({"NUL", length("5\0"s)}, refused, 100'000);
  check_refused({"twice, in two spellings", post("Content-Length: 5\r\ncontent-length: 5\r\n", "hello")}, refused,
                100'000);
  check_refused({"beyond any body", length("9223372036854775808")}, "413 body_too_large", 100'000);
  check_answered({"leading zeros", length("0005")}, "404 not_found", 100'000);
  check_answered({"white space around", length(" \t5\t ")}, "404 not_found", 100'000);
}

TEST_CASE("a transfer encoding other than a single chunked is refused") {
  for (const auto* value :
       {" identity", " identity, chunked", " chunked, identity", " chunked, chunked", " chunked;q=1", " \"chunked\"",
        " chunked,", " ,chunked", " xchunked", " chunkedx", " chunked\v", "\vchunked", " \fchunked", "", " ",
        " chunke\xc4\x91", " cow", " gzip, chunked", " chunked\tx"})
    check_refused({"Transfer-Encoding:"s + value, encoded(value)}, refused, 100'000);
  const attack others[] = {
      {"beside a length", post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")},
      {"behind a length", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {"identity beside a length", post("Content-Length: 5\r\nTransfer-Encoding: identity\r\n", "hello")},
      {"beside a length of nought", post("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {"blank before the colon", post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n")},
      {"tab before the colon", post("Transfer-Encoding\t: chunked\r\n", "0\r\n\r\n")},
      {"behind a bare line feed", post("X: y\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {"behind a bare carriage return", post("X: y\rTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {"folded", post("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n")},
      {"folded behind another", post("X: y\r\n Transfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {"in two headers", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n")},
      {"in HTTP/1.0",
       "POST /v1/nothing HTTP/1.0\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n0\r\n\r\n"},
      {"with a NUL", encoded(" chunked\0"s)},
  };
  for (const auto& one : others) check_refused(one, refused, 100'000);
  for (const auto* value : {" Chunked", " CHUNKED", "\tchunked\t", "chunked"})
    check_answered({"Transfer-Encoding:"s + value, encoded(value)}, "404 not_found", 100'000);
  check_answered(
      {"a header that only looks like it", post("Transfer_Encoding: chunked\r\nContent-Length: 5\r\n", "hello")},
      "404 not_found", 100'000);
}

TEST_CASE("chunks are hexadecimal numbers and CRLF, whatever precedes or follows them") {
  for (const auto* size : {"5 ", " 5", "5\t", "+5", "-5", "0x5", "5,", "5\r", "", "g", "5;", "5;\x01", "5;a=\"\r",
                           "FFFFFFFFFFFFFFFFF", "10000000000000005"})
    check_refused({"chunk size "s + size, sized(size)}, refused, 100'000);
  check_refused({"as large as a number can be", sized("fffffffffffffffb")}, "413 body_too_large", 100'000);
  const attack others[] = {
      {"a line feed behind the size", chunks("5\nhello\r\n0\r\n\r\n")},
      {"a line feed behind the data", chunks("5\r\nhello\n0\r\n\r\n")},
      {"anything behind the data", chunks("5\r\nhelloXX0\r\n\r\n")},
      {"nothing behind the data", chunks("5\r\nhello0\r\n\r\n")},
      {"line feeds at the end", chunks("5\r\nhello\r\n0\n\n")},
      {"one line feed at the end", chunks("5\r\nhello\r\n0\r\n\n")},
      {"a line feed in an extension", chunks("5;a\nb\r\nhello\r\n0\r\n\r\n")},
      {"a NUL in an extension", chunks("5;a=\0\r\nhello\r\n0\r\n\r\n"s)},
      {"an endless extension", chunks("5;a=" + std::string(40'000, 'x'))},
      {"an endless extension of the last chunk", chunks("0;a=" + std::string(40'000, 'x'))},
      {"endless zeros before the size", chunks(std::string(40'000, '0'))},
      {"endless trailers", chunks("0\r\n" + repeated("X: y\r\n", 8'000))},
  };
  for (const auto& one : others) check_refused(one, refused, 100'000);
  for (const auto* size : {"5", "05", "00000000000000000000000000005", "5;a", "5;a=b", "5;a=\"b;c\"", "5 ;a=b"})
    check_answered({"chunk size "s + size, sized(size)}, "404 not_found", 100'000);
  for (const auto* body : {"0\r\n\r\n", "0\r\nX: y\r\n\r\n", "5;a=b\r\nhello\r\n0\r\n\r\n"})
    check_answered({"byte by byte: "s + body, chunks(body)}, "404 not_found", 1);
  check_answered({"several noughts at the end", chunks("5\r\nhello\r\n000\r\n\r\n")}, "404 not_found", 100'000);
}

TEST_CASE("trailers must obey the rules of headers, and are not used as headers") {
  for (const auto* trailer :
       {"X: y\n", "X: a\r\n b\r\n", "X: a\r\n\tb\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n",
        "no colon\r\n", ": y\r\n", "X : y\r\n", "X: \x01\r\n", " X: y\r\n", "X: y\rz\r\n"})
    check_refused({"trailer "s + trailer, trailed(trailer)}, refused, 100'000);
  for (const auto* trailer :
       {"X: y\r\n", "Host: elsewhere\r\n", "Connection: close\r\n", "X-Service-Key-Id: forged\r\n"})
    check_answered({"trailer "s + trailer, trailed(trailer)}, "404 not_found", 100'000);
}

TEST_CASE("headers with control characters, folds or names that are not tokens are refused") {
  const attack bad[] = {
      {"NUL in a value", get("/healthz", host + "X: a\0b\r\n"s)},
      {"DEL in a value", get("/healthz", host + "X: \x7f\r\n")},
      {"vertical tab behind a value", get("/healthz", host + "X: a\v\r\n")},
      {"form feed behind a value", get("/healthz", host + "X: a\f\r\n")},
      {"escape in a value", get("/healthz", host + "X: \x1b[2J\r\n")},
      {"NUL in a name", get("/healthz", host + "X\0: a\r\n"s)},
      {"a blank in a name", get("/healthz", host + "X Y: a\r\n")},
      {"a bracket in a name", get("/healthz", host + "X(: a\r\n")},
      {"a quote in a name", get("/healthz", host + "X\"Y: a\r\n")},
      {"a high byte in a name", get("/healthz", host + "X\x80: a\r\n")},
      {"no colon", get("/healthz", host + "X\r\n")},
      {"no name", get("/healthz", host + ": a\r\n")},
      {"two carriage returns", get("/healthz", host + "X: a\r\r\n")},
      {"two carriage returns at the end", "GET /healthz HTTP/1.1\r\n" + host + "\r\r\n"},
      {"fold into nothing", get("/healthz", host + "X: a\r\n \r\n")},
      {"fold of the request line", "GET /healthz\r\n HTTP/1.1\r\n" + host + "\r\n"},
      {"fold before the first header", "GET /healthz HTTP/1.1\r\n Host: a\r\n" + host + "\r\n"},
      {"line feeds only", "GET /healthz HTTP/1.1\nHost: gateway\n\n"},
      {"a line feed between header and body", "POST /v1/nothing HTTP/1.1\r\n" + host + "Content-Length: 5\r\n\nhello"},
  };
  for (const auto& one : bad) {
    check_refused(one, refused, 100'000);
    check_refused(one, refused, 1);
  }
  check_answered({"an empty value", get("/healthz", host + "X:\r\n")}, "200", 1);
  check_answered({"a high byte in a value", get("/healthz", host + "X: \x80\r\n")}, "200", 1);
}

TEST_CASE("exactly one Host header, which holds a host alone, is accepted") {
  for (const auto* value : {"a b", "a/b", "a@b", "a,b", "a\tb", "a?b", "a#b", "\"a\"", "\xff", "a\\b", "<a>"})
    check_refused({"Host: "s + value, get("/healthz", "Host: "s + value + "\r\n")}, refused, 100'000);
  check_refused({"none", get("/healthz", "")}, refused, 100'000);
  check_refused({"two", get("/healthz", host + host)}, refused, 100'000);
  check_refused({"two that differ", get("/healthz", host + "Host: elsewhere\r\n")}, refused, 100'000);
  for (const auto* value : {"", "[::1]:8443", "api.example.com", "a_b.example:443"})
    check_answered({"Host: "s + value, get("/healthz", "Host: "s + value + "\r\n")}, "200", 100'000);
}

TEST_CASE("a request line is a method, a target and HTTP/1.1, with one blank between") {
  for (const auto* line : {"GET /healthz HTTP/1.2",
                           "GET /healthz HTTP/1.10",
                           "GET /healthz HTTP/11",
                           "GET /healthz HTTP/2.0",
                           "GET /healthz HTTP/3",
                           "GET /healthz HTTP/0.9",
                           "GET /healthz HTTP/-1.1",
                           "GET /healthz http/1.1",
                           "GET /healthz XTTP/1.1",
                           "GET /healthz HTTP/1.1 ",
                           "GET /healthz\tHTTP/1.1",
                           "GET\t/healthz HTTP/1.1",
                           "GET  /healthz HTTP/1.1",
                           " GET /healthz HTTP/1.1",
                           "G@T /healthz HTTP/1.1",
                           "GET /healthz",
                           "GET",
                           "",
                           "HTTP/1.1 200 OK",
                           "PRI * HTTP/2.0",
                           "GET /health z HTTP/1.1",
                           "GET \\healthz HTTP/1.1",
                           "GET healthz HTTP/1.1",
                           "GET ?x HTTP/1.1",
                           "GET * HTTP/1.1",
                           "GET gateway:443 HTTP/1.1",
                           "GET ://gateway/healthz HTTP/1.1",
                           "GET ftp://gateway/healthz HTTP/1.1",
                           "GET http:/healthz HTTP/1.1",
                           "GET http:///healthz HTTP/1.1",
                           "GET https://user@gateway/healthz HTTP/1.1",
                           "GET https://a,b/healthz HTTP/1.1",
                           "GET /\x7f HTTP/1.1"}) {
    const auto bytes = *line == '\0' ? "\r"s : line + "\r\n"s + host + "\r\n";
    check_refused({line, bytes}, refused, 100'000);
  }
  check_refused({"NUL in the target", "GET /\0 HTTP/1.1\r\n"s + host + "\r\n"}, refused, 100'000);
  check_refused({"NUL in the method", "G\0T / HTTP/1.1\r\n"s + host + "\r\n"}, refused, 100'000);
  check_refused({"a line feed first", "\n" + next}, refused, 100'000);
  check_refused({"empty lines without end", repeated("\r\n", 1'000)}, refused, 100'000);
  check_refused({"a target without end", "GET /" + std::string(17'000, 'a')}, "431 headers_too_large", 4'000);
  check_refused({"a method without end", std::string(17'000, 'A')}, "431 headers_too_large", 4'000);

  check_answered({"an empty line or two first", "\r\n\r\n" + get("/healthz")}, "200", 1);
  check_answered({"absolute form", get("https://gateway:8443/healthz")}, "200", 100'000);
  check_answered({"absolute form of another host", get("http://elsewhere/healthz")}, "200", 100'000);
  check_answered({"the server itself", "OPTIONS * HTTP/1.1\r\n" + host + "\r\n"}, "404 not_found", 100'000);
  check_answered({"a tunnel", "CONNECT gateway:443 HTTP/1.1\r\n" + host + "\r\n"}, "404 not_found", 100'000);
  check_answered({"a method in lower case", "get /healthz HTTP/1.1\r\n" + host + "\r\n"}, "405 method_not_allowed",
                 100'000);
  check_answered({"a method that nobody knows", "BREW /healthz HTTP/1.1\r\n" + host + "\r\n"}, "405 method_not_allowed",
                 100'000);
  check_answered({"a trace", "TRACE /healthz HTTP/1.1\r\n" + host + "Cookie: secret\r\n\r\n"}, "405 method_not_allowed",
                 100'000);
  check_answered({"dots", get("/healthz/../operator/keys")}, "404 not_found", 100'000);
  check_answered({"two slashes", get("//healthz")}, "404 not_found", 100'000);
  check_answered({"an escaped NUL", get("/healthz%00")}, "404 not_found", 100'000);
}

TEST_CASE("headers that would change the protocol change nothing") {
  check_answered(
      {"upgrade to HTTP/2",
       get("/healthz", host + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n")},
      "200", 100'000);
  check_answered({"upgrade to a socket",
                  get("/healthz", host + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\n")},
                 "200", 100'000);
  check_answered({"a GET with a body", get("/healthz", host + "Content-Length: 5\r\n") + "hello"}, "200", 100'000);
  check_answered({"a GET with a chunked body",
                  get("/healthz", host + "Transfer-Encoding: chunked\r\n") + "5\r\nhello\r\n0\r\n\r\n"},
                 "200", 1);
  check_answered({"an expectation that nobody knows", post("Content-Length: 5\r\nExpect: 200-ok\r\n", "hello")},
                 "404 not_found", 100'000);
  check_answered({"an expectation that came too late", post("Content-Length: 5\r\nExpect: 100-continue\r\n", "hello")},
                 "404 not_found", 100'000);
  check_answered({"a method beside the method", get("/healthz", host + "X-HTTP-Method-Override: DELETE\r\n")}, "200",
                 100'000);
}

TEST_CASE("errors below HTTP, and clients that leave early, end the connection without an answer") {
  const auto closes = [](hostile_connection& caller) {
    const auto said = caller.listen(1);
    CHECK(said.answers().empty());
    CHECK(said.closed);
  };
  using protocol = hostile_connection::protocol;
  for (const auto& bytes : {next, std::string(5'000, '\0'), "\x16\x03\x01\xff\xff"s + std::string(20'000, 'x'),
                            "\x80\x2e\x01\x03\x01"s + std::string(0x2b, 'x'), "SSH-2.0-OpenSSH_9.2\r\n"s,
                            "PROXY TCP4 10.0.0.1 10.0.0.2 1 443\r\n"s}) {
    CAPTURE(bytes.substr(0, 20));
    hostile_connection caller{shared().address(), protocol::nothing};
    caller.send(bytes);
    const auto said = caller.listen(1);
    CHECK(said.closed);
    CHECK(said.bytes.find("HTTP/1.1") == std::string::npos);
  }
  hostile_connection goodbye{shared().address()};
  goodbye.close_notify();
  closes(goodbye);
  hostile_connection silent{shared().address()};
  silent.half_close();
  closes(silent);
  hostile_connection cut{shared().address()};
  cut.send(next.substr(0, 20));
  cut.half_close();
  closes(cut);
  hostile_connection broken{shared().address()};
  broken.send_beneath("\x17\x03\x03\x00\x20" + std::string(0x20, 'x'));  // an unencrypted record
  closes(broken);
  hostile_connection empty{shared().address()};
  empty.send_beneath(repeated("\x17\x03\x03\x00\x00"s, 100));
  closes(empty);
}

TEST_CASE(
    "a client that has closed its sending side still gets its answers, and a pipeline of thousands is answered in "
    "order") {
  hostile_connection half{shared().address()};
  half.send(next + get("/v1/nothing") + next);
  half.half_close();
  CHECK(half.listen(4).answers() == lines{"200", "404 not_found", "200"});

  hostile_connection notified{shared().address()};
  notified.send(next);
  notified.close_notify();
  CHECK(notified.listen(2).bytes.starts_with("HTTP/1.1 200 "));

  constexpr std::size_t many = 4'000;
  hostile_connection pipeline{shared().address()};
  std::string all;
  for (std::size_t i = 0; i < 400; ++i) all += i % 2 == 0 ? next : get("/v1/nothing");
  std::vector<std::string> answers;
  for (std::size_t sent = 0; sent < many; sent += 400) {
    REQUIRE(pipeline.send(all));
    for (auto& one : pipeline.listen(400).answers()) answers.push_back(std::move(one));
  }
  REQUIRE(answers.size() == many);
  for (std::size_t i = 0; i < many; ++i) CHECK(answers[i] == (i % 2 == 0 ? "200" : "404 not_found"));
}
