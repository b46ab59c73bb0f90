#include <catch2/catch.hpp>

#include <iterator>
#include <thread>
#include <vector>

#include <sys/stat.h>

#include "gateway/base/master_key_file.hpp"
#include "temporary_directory.hpp"

using namespace gateway;
using Catch::Contains;

namespace {
const std::string some_key(64, 'a');

void restrict_to_owner(const std::filesystem::path& file) { ::chmod(file.c_str(), 0600); }
}  // namespace

TEST_CASE("a missing master key is made once, readable only by its owner") {
  const temporary_directory directory;
  const auto file = directory / "master.key";
  const auto made = load_master_key(file, true);
  struct stat about{};
  REQUIRE(::stat(file.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
  CHECK(content_of(file).size() == 65);
  CHECK(fingerprint(*load_master_key(file, true)) == fingerprint(*made));
  CHECK(fingerprint(*load_master_key(file, false)) == fingerprint(*made));
  CHECK(std::distance(std::filesystem::directory_iterator{directory.path()}, {}) == 1);
}

TEST_CASE("two processes that make it at once end with one key") {
  const temporary_directory directory;
  std::vector<std::string> seen(8);
  std::vector<std::thread> threads;
  for (auto& one : seen)
    threads.emplace_back([&] { one = fingerprint(*load_master_key(directory / "master.key", true)); });
  for (auto& t : threads) t.join();
  for (const auto& one : seen) CHECK(one == seen.front());
}

TEST_CASE("a lost master key is not replaced where the database needs it") {
  const temporary_directory directory;
  CHECK_THROWS_WITH(load_master_key(directory / "master.key", false),
                    Contains("master.key") && Contains("is missing") && Contains("backup"));
  CHECK_FALSE(std::filesystem::exists(directory / "master.key"));
}

TEST_CASE("a master key file with unsafe permissions or content ends the start with one line") {
  const temporary_directory directory;
  for (const auto& text : {std::string{}, std::string{"short"}, some_key.substr(1), some_key + "a", some_key + "\n\n",
                           std::string(64, 'g')}) {
    const auto file = directory.write("master.key", text);
    restrict_to_owner(file);
    CHECK_THROWS_WITH(load_master_key(file, true), Contains("64 hexadecimal digits"));
    CHECK(content_of(file) == text);
  }
  const auto open_to_all = directory.write("open.key", some_key);
  ::chmod(open_to_all.c_str(), 0644);
  CHECK_THROWS_WITH(load_master_key(open_to_all, true), Contains("chmod 600"));
  CHECK_THROWS_WITH(load_master_key(directory.path(), true), Contains("not a regular file"));
  CHECK_THROWS_WITH(load_master_key(directory / "no/such/place", true), Contains("cannot be written"));
}

TEST_CASE("either case and a final newline are accepted") {
  const temporary_directory directory;
  const auto lower = directory.write("lower.key", some_key),
             upper = directory.write("upper.key", std::string(64, 'A') + "\n");
  restrict_to_owner(lower);
  restrict_to_owner(upper);
  CHECK(fingerprint(*load_master_key(lower, false)) == fingerprint(*load_master_key(upper, false)));
}

TEST_CASE("a fingerprint distinguishes keys and does not reveal the key") {
  const crypto::master_key one{std::string(32, '1')}, other{std::string(32, '2')};
  CHECK(fingerprint(one).size() == 32);
  CHECK(fingerprint(one) == fingerprint(one));
  CHECK(fingerprint(one) != fingerprint(other));
}
