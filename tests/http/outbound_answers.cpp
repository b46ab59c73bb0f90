// Parses answers, and classifies them for operators and the retry schedule.
#include <catch2/catch.hpp>

#include <string>

#include "http/outbound/answer_reader.hpp"
#include "http/outbound/webhook_attempt.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace std::chrono_literals;
using state = answer_reader::state;

namespace {

/// Feeds the bytes in one piece, and byte by byte: the result must be the same.
template <class Check>
void each_way(const std::string& bytes, Check check) {
  answer_reader at_once;
  check(at_once.received(bytes), at_once);
  answer_reader in_bytes;
  auto reached = state::partial;
  for (std::size_t i = 0; i < bytes.size() && reached == state::partial; ++i)
    reached = in_bytes.received({&bytes[i], 1});
  check(reached, in_bytes);
}

std::string head(const std::string& fields) { return "HTTP/1.1 200 OK\r\n" + fields + "\r\n"; }

}  // namespace

TEST_CASE("answers are read in every framing") {
  struct row {
    std::string bytes;
    int status;
    std::string body;
    bool keep_alive;
  };
  const row rows[] = {
      {head("Content-Length: 2\r\n") + "ok", 200, "ok", true},
      {head("Content-Length: 0\r\n"), 200, "", true},
      {head("Content-Length: 2\r\nConnection: close\r\n") + "ok", 200, "ok", false},
      {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", false},
      {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok", 200, "ok", true},
      {"HTTP/1.1 204 No Content\r\n\r\n", 204, "", true},
      {"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304, "", true},
      {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", 101, "", false},
      {"HTTP/1.1 500 \r\nContent-Length: 1\r\n\r\nx", 500, "x", true},
      {head("Transfer-Encoding: chunked\r\n") + "2\r\nok\r\n0\r\n\r\n", 200, "ok", true},
      {head("Transfer-Encoding: chunked\r\n") + "1;a=b\r\no\r\n01 \r\nk\r\n000\r\nTrailer: x\r\n\r\n", 200, "ok", true},
      {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + head("Content-Length: 2\r\n") +
           "ok",
       200, "ok", true},
  };
  for (const auto& r : rows) {
    INFO(r.bytes);
    each_way(r.bytes, [&](state reached, const answer_reader& read) {
      CHECK(reached == state::whole);
      CHECK(read.status() == r.status);
      CHECK(read.body_start() == r.body);
      CHECK(read.keep_alive() == r.keep_alive);
    });
  }
  answer_reader followed;
  CHECK(followed.received(head("Content-Length: 0\r\n") + "HTTP/1.1 200 OK\r\n") == state::whole);
  CHECK_FALSE(followed.keep_alive());  // an unrequested answer
}

TEST_CASE("a body without a length ends with the connection") {
  answer_reader read;
  CHECK(read.received(head("") + "ok") == state::partial);
  CHECK(read.ended() == state::whole);
  CHECK(read.body_start() == "ok");
  CHECK_FALSE(read.keep_alive());
  for (const auto& bytes : {std::string{}, std::string{"HTTP/1.1 200 OK\r\n"}, head("Content-Length: 3\r\n") + "ok",
                            head("Transfer-Encoding: chunked\r\n") + "2\r\nok\r\n"}) {
    answer_reader broken;
    CHECK(broken.received(bytes) == state::partial);
    CHECK(broken.ended() == state::broken);
    CHECK(broken.nothing_received() == bytes.empty());
  }
}

TEST_CASE("bytes that are not HTTP are garbage as soon as that shows") {
  for (const std::string& bytes :
       {std::string{"SSH-2.0-OpenSSH\r\n"}, std::string{"h"}, std::string{"HTTP/2 200\r\n\r\n"},
        std::string{"HTTP/1.1 OK\r\n\r\n"}, std::string{"HTTP/1.1 20 OK\r\n\r\n"},
        std::string{"HTTP/1.1 2000 OK\r\n\r\n"}, std::string{"\0\0\0", 3}, std::string{"\r\nHTTP/1.1 200 OK\r\n\r\n"},
        head("Content-Length: x\r\n"), head("Content-Length: -1\r\n"),
        head("Content-Length: 1\r\nContent-Length: 2\r\n"), head("no colon\r\n"),
        head("Transfer-Encoding: chunked\r\n") + "x\r\n", head("Transfer-Encoding: chunked\r\n") + "\r\n",
        head("Transfer-Encoding: chunked\r\n") + "1\r\nab\r\n",
        head("Transfer-Encoding: chunked\r\n") + "11111111111111111\r\n",
        head("Transfer-Encoding: chunked\r\n") + "-1\r\n"}) {
    INFO(bytes);
    each_way(bytes, [](state reached, const answer_reader&) { CHECK(reached == state::garbage); });
  }
}

TEST_CASE("endless output of a peer is bounded") {
  const std::string zeros(100'000, '0');
  const auto is_garbage = [](state reached, const answer_reader&) { CHECK(reached == state::garbage); };
  each_way("HTTP/1.1 200 OK\r\nA: " + zeros, is_garbage);
  each_way(head("Transfer-Encoding: chunked\r\n") + "1;" + zeros, is_garbage);
  each_way(head("Transfer-Encoding: chunked\r\n") + "0\r\nA: " + zeros, is_garbage);

  std::string interim;
  for (int i = 0; i < 8; ++i) interim += "HTTP/1.1 102 Processing\r\n\r\n";
  each_way(interim + head("Content-Length: 0\r\n"),
           [](state reached, const answer_reader&) { CHECK(reached == state::whole); });
  each_way(interim + "HTTP/1.1 102 Processing\r\n\r\n",
           [](state reached, const answer_reader&) { CHECK(reached == state::garbage); });

  std::string chunks = head("Transfer-Encoding: chunked\r\n");
  for (int i = 0; i < 70'000; ++i) chunks += "1\r\nx\r\n";
  each_way(chunks, [](state reached, const answer_reader& read) {
    CHECK(reached == state::cut);
    CHECK(read.status() == 200);
    CHECK_FALSE(read.keep_alive());
  });
  std::string trailers = head("Transfer-Encoding: chunked\r\n") + "0\r\n";
  for (int i = 0; i < 70'000; ++i) trailers += "A: b\r\n";
  each_way(trailers, [](state reached, const answer_reader&) { CHECK(reached == state::cut); });
}

TEST_CASE("a head may be 16 KiB long, and 64 KiB of a body are read") {
  const auto with_head = [](std::size_t size) {
    const auto empty = head("Content-Length: 0\r\nA: \r\n").size();
    return head("Content-Length: 0\r\nA: " + std::string(size - empty, 'a') + "\r\n");
  };
  each_way(with_head(most_answer_head_bytes),
           [](state reached, const answer_reader&) { CHECK(reached == state::whole); });
  each_way(with_head(most_answer_head_bytes + 1),
           [](state reached, const answer_reader&) { CHECK(reached == state::garbage); });

  const auto with_body = [](std::size_t size) {
    return head("Content-Length: " + std::to_string(size) + "\r\n") + std::string(size, 'b');
  };
  each_way(with_body(most_answer_body_bytes),
           [](state reached, const answer_reader&) { CHECK(reached == state::whole); });
  each_way(with_body(most_answer_body_bytes + 1), [](state reached, const answer_reader& read) {
    CHECK(reached == state::cut);
    CHECK(read.status() == 200);
  });
}

TEST_CASE("an excerpt is valid UTF-8 of at most 256 bytes") {
  const std::string bad = "\xef\xbf\xbd";
  CHECK(excerpt_of("").empty());
  CHECK(excerpt_of("plain") == "plain");
  CHECK(excerpt_of("a\r\n\tb\x7f"
                   "c\xc2\x85"
                   "d") == "a   b c d");
  CHECK(excerpt_of(std::string{"a\0b", 3}) == "a b");
  CHECK(excerpt_of("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80") == "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  for (const std::string invalid : {"\xff", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                                    "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80", "\xe2\x82"}) {
    std::string replaced;
    for (std::size_t i = 0; i < invalid.size(); ++i) replaced += bad;
    CHECK(excerpt_of(invalid + "x") == replaced + "x");
  }
  CHECK(excerpt_of(std::string(300, 'a')) == std::string(256, 'a'));
  CHECK(excerpt_of(std::string(255, 'a') + "\xc3\xa9") == std::string(255, 'a'));
  CHECK(excerpt_of(std::string(254, 'a') + "\xc3\xa9z") == std::string(254, 'a') + "\xc3\xa9");
  CHECK(excerpt_of(std::string(300, '\xff')).size() == 255);
  answer_reader read;  // the reader keeps enough to recognise a character that the end of the excerpt cuts
  CHECK(read.received(head("Content-Length: 300\r\n") + std::string(255, 'a') + "\xe2\x82\xac" +
                      std::string(42, 'b')) == state::whole);
  CHECK(excerpt_of(read.body_start()) == std::string(255, 'a'));
}

TEST_CASE("the blanks around a header are no part of it") {
  answer_reader read;
  CHECK(read.received(head("Content-Length: 0\r\nRetry-After:  7 \r\n")) == state::whole);
  CHECK(read.headers().find("Retry-After") == "7");
}

TEST_CASE("the status decides the result") {
  for (const int status : {200, 201, 202, 204, 299})
    CHECK(result_of(static_cast<std::uint16_t>(status)) == attempt_result::delivered);
  CHECK(result_of(410) == attempt_result::gone);
  for (const int status : {101, 300, 301, 307, 400, 404, 409, 429, 500, 503, 999}) {
    CHECK(result_of(static_cast<std::uint16_t>(status)) == attempt_result::rejected);
  }
}
