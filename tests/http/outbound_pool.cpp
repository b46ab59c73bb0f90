// The order in which connections are assigned, without a network: none of these connections is ever dialled.
#include <catch2/catch.hpp>

#include <memory>
#include <string>

#include "http/outbound/connection_pool.hpp"

using namespace gateway::http;
using namespace std::chrono_literals;

namespace {

struct patient final : connection_waiter {
  bool has_given_up() const noexcept override { return gave_up; }
  void wake() override { ++woken; }

  bool gave_up = false;
  int woken = 0;
};

struct pool_of {
  explicit pool_of(std::size_t most_open) : pool(context, most_open, 30s) {}

  std::shared_ptr<patient> comes() { return std::make_shared<patient>(); }
  std::shared_ptr<pooled_connection> take(const std::shared_ptr<patient>& who,
                                          const std::string& origin = "https://a:443") {
    return pool.take(who, origin, {}, false);
  }

  boost::asio::io_context context;
  connection_pool pool;
};

}  // namespace

TEST_CASE(
    "connections are opened up to the limit, and waiting requests are woken in order, one for each returned "
    "connection") {
  pool_of two{2};
  auto first = two.take(two.comes());
  auto second = two.take(two.comes());
  REQUIRE(first);
  REQUIRE(second);
  const auto third = two.comes(), fourth = two.comes();
  CHECK_FALSE(two.take(third));
  CHECK_FALSE(two.take(fourth));
  first.reset();
  CHECK(third->woken == 1);
  CHECK(fourth->woken == 0);
  const auto taken = two.take(third);
  CHECK(taken);
  second.reset();
  CHECK(fourth->woken == 1);
}

TEST_CASE("a new request gets no connection before those that wait already") {
  pool_of one{1};
  auto used = one.take(one.comes());
  const auto waiting = one.comes(), late = one.comes();
  CHECK_FALSE(one.take(waiting));
  used.reset();
  CHECK(waiting->woken == 1);
  const auto taken = one.take(waiting);
  CHECK(taken);
  CHECK_FALSE(one.take(late));
}

TEST_CASE("a waiting request that has timed out, or is gone, is skipped") {
  pool_of one{1};
  auto used = one.take(one.comes());
  const auto tired = one.comes(), last = one.comes();
  CHECK_FALSE(one.take(tired));
  CHECK_FALSE(one.take(one.comes()));
  CHECK_FALSE(one.take(last));
  tired->gave_up = true;
  used.reset();
  CHECK(tired->woken == 0);
  CHECK(last->woken == 1);
}

TEST_CASE("a woken request that takes no connection passes its turn on") {
  pool_of one{1};
  auto used = one.take(one.comes());
  const auto interrupted = one.comes(), next = one.comes();
  CHECK_FALSE(one.take(interrupted));
  CHECK_FALSE(one.take(next));
  used.reset();
  CHECK(next->woken == 0);
  interrupted->gave_up = true;
  one.pool.pass_on();
  CHECK(next->woken == 1);
}

TEST_CASE("a woken request that is overtaken keeps its place before later ones") {
  pool_of one{1};
  auto used = one.take(one.comes());
  const auto woken = one.comes(), late = one.comes();
  CHECK_FALSE(one.take(woken));
  used.reset();
  CHECK(woken->woken == 1);
  used = one.take(one.comes());  // no request waits at this moment
  CHECK(used);
  CHECK_FALSE(one.take(late));
  CHECK_FALSE(one.take(woken));
  used.reset();
  CHECK(woken->woken == 2);
  CHECK(late->woken == 0);
}

TEST_CASE("a kept connection that makes room wakes no request, because its room is taken") {
  pool_of two{2};
  auto first = two.take(two.comes(), "https://a:443");
  auto second = two.take(two.comes(), "https://b:443");
  const auto third = two.comes(), fourth = two.comes();
  CHECK_FALSE(two.take(third, "https://c:443"));
  CHECK_FALSE(two.take(fourth, "https://d:443"));
  two.pool.keep(std::move(first));
  CHECK(third->woken == 1);
  const auto taken = two.take(third, "https://c:443");
  CHECK(taken);
  CHECK(fourth->woken == 0);
  second.reset();
  CHECK(fourth->woken == 1);
}

TEST_CASE("a kept connection makes room for one to another origin") {
  pool_of one{1};
  one.pool.keep(one.take(one.comes()));
  const auto other = one.take(one.comes(), "https://b:443");
  REQUIRE(other);
  CHECK(other->origin() == "https://b:443");
  CHECK_FALSE(one.take(one.comes()));
}

TEST_CASE("a stopped pool keeps no connections") {
  pool_of one{1};
  auto used = one.take(one.comes());
  one.pool.stop();
  const std::weak_ptr watched = used;
  one.pool.keep(std::move(used));
  CHECK(watched.expired());
}
