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
const std::string some_key(64, 'a'), other_key(64, 'b');

/// The fingerprints of the file's keys.
std::vector<std::string> keys_of(const std::filesystem::path& file, bool create = false) {
  std::vector<std::string> prints;
  for (const auto& key : master_key_source::file(file).load(create)) prints.push_back(key.fingerprint);
  return prints;
}

std::string print_of(const std::string& hex) { return fingerprint(crypto::master_key{*crypto::from_hex(hex)}); }

void restrict_to_owner(const std::filesystem::path& file) { ::chmod(file.c_str(), 0600); }
}  // namespace

TEST_CASE("a missing master key is made once, readable only by its owner") {
  const temporary_directory directory;
  const auto file = directory / "master.key";
  const auto made = keys_of(file, true);
  CHECK(made.size() == 1);
  struct stat about{};
  REQUIRE(::stat(file.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
  CHECK(content_of(file).size() == 65);
  CHECK(keys_of(file, true) == made);
  CHECK(keys_of(file) == made);
  CHECK(std::distance(std::filesystem::directory_iterator{directory.path()}, {}) == 1);
}

TEST_CASE("two processes that make it at once end with one key") {
  const temporary_directory directory;
  std::vector<std::string> seen(8);
  std::vector<std::thread> threads;
  for (auto& one : seen) threads.emplace_back([&] { one = keys_of(directory / "master.key", true).front(); });
  for (auto& t : threads) t.join();
  for (const auto& one : seen) CHECK(one == seen.front());
}

TEST_CASE("a lost master key is not replaced where the database needs it") {
  const temporary_directory directory;
  CHECK_THROWS_WITH(keys_of(directory / "master.key"),
                    Contains("master.key") && Contains("is missing") && Contains("backup"));
  CHECK_FALSE(std::filesystem::exists(directory / "master.key"));
}

TEST_CASE("a master key file with unsafe permissions or content ends the start with one line") {
  const temporary_directory directory;
  for (const auto& text : {std::string{}, std::string{"short"}, some_key.substr(1), some_key + "a", some_key + "\n\n",
                           std::string(64, 'g'), "\n" + some_key, some_key + "\n" + other_key.substr(1), " " + some_key,
                           "An-Id " + some_key, std::string(33, 'i') + " " + some_key, "id  " + some_key,
                           "id\t" + some_key, some_key + " id", some_key + "\r\n" + other_key}) {
    const auto file = directory.write("master.key", text);
    restrict_to_owner(file);
    CHECK_THROWS_WITH(keys_of(file, true), Contains("64 hexadecimal digits"));
    CHECK(content_of(file) == text);
  }
  const auto open_to_all = directory.write("open.key", some_key);
  ::chmod(open_to_all.c_str(), 0644);
  CHECK_THROWS_WITH(keys_of(open_to_all, true), Contains("chmod 600"));
  CHECK_THROWS_WITH(keys_of(directory.path(), true), Contains("not a regular file"));
  CHECK_THROWS_WITH(keys_of(directory / "no/such/place", true), Contains("cannot be written"));
}

TEST_CASE("either case and a final newline are accepted") {
  const temporary_directory directory;
  const auto lower = directory.write("lower.key", some_key),
             upper = directory.write("upper.key", std::string(64, 'A') + "\n");
  restrict_to_owner(lower);
  restrict_to_owner(upper);
  CHECK(keys_of(lower) == keys_of(upper));
}

TEST_CASE("a fingerprint distinguishes keys and does not reveal the key") {
  const crypto::master_key one{std::string(32, '1')}, other{std::string(32, '2')};
  CHECK(fingerprint(one).size() == 32);
  CHECK(fingerprint(one) == fingerprint(one));
  CHECK(fingerprint(one) != fingerprint(other));
}

TEST_CASE("a file holds a key in each line, with its id or without") {
  const temporary_directory directory;
  const auto file = directory.write("master.key", some_key + "\nvault-2 " + other_key + "\n");
  restrict_to_owner(file);
  const auto keys = master_key_source::file(file).read();
  REQUIRE(keys.size() == 2);
  CHECK(keys[0].id == "k" + print_of(some_key).substr(0, 12));
  CHECK(keys[0].fingerprint == print_of(some_key));
  CHECK(keys[1].id == "vault-2");
  CHECK(keys[1].fingerprint == print_of(other_key));
  for (const auto& twice : {some_key + "\n" + some_key, "a " + some_key + "\na " + other_key})
    CHECK_THROWS_WITH(parse_master_keys(twice, "here"), Contains("here") && Contains("twice"));
}

TEST_CASE("a new key is written after the others, a removed one is gone, and a file keeps at least one") {
  const temporary_directory directory;
  const auto file = directory.write("master.key", some_key);  // without a final newline
  restrict_to_owner(file);
  const auto source = master_key_source::file(file);
  const auto made = source.add();
  CHECK(keys_of(file) == std::vector{print_of(some_key), made.fingerprint});
  CHECK(source.read().back().id == made.id);
  CHECK(content_of(file).starts_with(some_key + "\n" + made.id + " "));
  source.add("given", *crypto::from_hex(other_key));
  source.add("again", *crypto::from_hex(other_key));  // it is there already
  CHECK(keys_of(file) == std::vector{print_of(some_key), made.fingerprint, print_of(other_key)});
  source.remove(std::vector{print_of(some_key), std::string{"unknown"}});
  CHECK(keys_of(file) == std::vector{made.fingerprint, print_of(other_key)});
  source.remove(keys_of(file));
  CHECK(keys_of(file).size() == 2);
  struct stat about{};
  REQUIRE(::stat(file.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
  CHECK(std::distance(std::filesystem::directory_iterator{directory.path()}, {}) == 1);
}

TEST_CASE("two processes that add keys to one file at once lose none") {
  const temporary_directory directory;
  const auto file = directory.write("master.key", some_key);
  restrict_to_owner(file);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { master_key_source::file(file).add(); });
  for (auto& t : threads) t.join();
  CHECK(keys_of(file).size() == 9);
}

TEST_CASE("a link to a key file stays a link") {
  const temporary_directory directory;
  const auto file = directory.write("real.key", some_key);
  restrict_to_owner(file);
  std::filesystem::create_symlink(file, directory / "master.key");
  master_key_source::file(directory / "master.key").add();
  CHECK(std::filesystem::is_symlink(directory / "master.key"));
  CHECK(keys_of(file).size() == 2);
}

TEST_CASE("a program prints what the file would hold") {
  const temporary_directory directory;
  const auto keys = directory.write("keys", some_key + "\nb " + other_key + "\n");
  const auto script = directory.write("a program", "#!/bin/sh\nexec cat '" + keys.string() + "'\n");
  ::chmod(script.c_str(), 0700);
  for (const auto& command : {script.string(), "cat '" + keys.string() + "'"}) {
    const auto read = master_key_source::program(command).read();
    REQUIRE(read.size() == 2);
    CHECK(read[1].id == "b");
  }
}

TEST_CASE("a program that fails ends the start with one line, which quotes nothing of what it printed") {
  struct row {
    std::string command, why;
  };
  for (const auto& r : {row{"echo " + some_key + "; exit 3", "status 3"}, row{"true", "64 hexadecimal digits"},
                        row{"echo " + some_key.substr(1), "64 hexadecimal digits"}, row{"kill -9 $$", "signal"},
                        row{"head -c 100000 /dev/zero", "more than keys"}, row{"/no/such/program", "status 127"}}) {
    INFO(r.command);
    try {
      master_key_source::program(r.command).read();
      FAIL("it was accepted");
    } catch (const master_key_error& error) {
      const std::string why = error.what();
      CHECK_THAT(why, Contains("master-key-command") && Contains(r.why) && !Contains("\n") && !Contains("aaaa"));
    }
  }
}

TEST_CASE("a program that does not end is ended, with what it has started") {
  const temporary_directory directory;
  const auto mark = (directory / "mark").string();
  using namespace std::chrono_literals;
  const auto source =
      master_key_source::program("(sleep 600; touch " + mark + ") & echo " + some_key + "; wait", 200ms);
  CHECK_THROWS_WITH(source.read(), Contains("in time"));
  CHECK_FALSE(std::filesystem::exists(mark));
}
