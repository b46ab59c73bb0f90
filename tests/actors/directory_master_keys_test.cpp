// A rotation of the master key, by the directories of one gateway and of several nodes.
#include <sys/stat.h>

#include "directory_fixture.hpp"
#include "tests/base/temporary_directory.hpp"

using namespace gateway;
using namespace gateway::testing;
using Catch::Contains;

namespace {

/// A key file of a node.
class key_file {
 public:
  explicit key_file(const std::string& text) : path_{folder_.write("master.key", text)} {
    ::chmod(path_.c_str(), 0600);
  }

  const master_key_source& source() const { return source_; }
  std::vector<named_master_key> keys() const { return source_.read(); }
  std::string text() const { return content_of(path_); }
  void write(const std::string& text) const { folder_.write("master.key", text); }
  /// Nothing can be written any more.
  void remove() const { std::filesystem::remove(path_); }

 private:
  temporary_directory folder_;
  std::filesystem::path path_;
  master_key_source source_ = master_key_source::file(path_);
};

const std::string first_hex(64, 'a'), second_hex(64, 'b');

std::string print_of_hex(const std::string& hex) { return fingerprint(crypto::master_key{*crypto::from_hex(hex)}); }

/// A store whose first key is in `file`.
failing_store_ptr rows_with_key(const key_file& file) {
  auto rows = std::make_shared<failing_store>();
  const auto key = file.keys().front();
  unit_of_work unit;
  unit.inserts.push_back(save_master_key{key.id, key.fingerprint, 0, master_key_status::current, {}, from_unix_ms(1)});
  REQUIRE(rows->commit(unit) == commit_outcome::committed);
  return rows;
}

std::string done(const operator_result& result) {
  if (const auto* why = std::get_if<operator_problem>(&result)) return why->words;
  const auto& made = std::get<named_result>(result);
  return made.status;
}

std::string id_in(const operator_result& result) { return std::get<named_result>(result).id; }

/// The ids in a ring, the current one first.
std::vector<std::string> ids_in(const crypto::keyring& ring) {
  std::vector<std::string> ids;
  for (const auto& each : *ring.all()) ids.push_back(each.id);
  return ids;
}

std::string rotate(office& o) {
  const auto offered = o.ask(offer_master_key{});
  CHECK(done(offered) == "offered");
  const auto id = id_in(offered);
  CHECK(done(o.ask(promote_master_key{id})) == "current");
  return id;
}

save_master_key row_of_key(const failing_store_ptr& rows, const std::string& id) {
  const auto keys = rows->run(find_master_keys{}).keys;
  const auto at = std::ranges::find(keys, id, &save_master_key::id);
  return at == keys.end() ? save_master_key{} : *at;
}

}  // namespace

TEST_CASE("a rotation adds a key to the file before the database names it, and uses it for what is new") {
  const key_file file{first_hex + "\n"};
  const auto rows = rows_with_key(file);
  office o{rows, false, &file.source()};
  const auto first = file.keys().front().id;
  CHECK(ids_in(o.keys) == std::vector{first});
  const auto old = o.keys.seal("secret", "row");
  const auto offered = o.ask(offer_master_key{});
  const auto second = id_in(offered);
  CHECK(file.keys().back().id == second);
  CHECK(ids_in(o.keys) == std::vector{first, second});  // the offered key opens, and seals nothing
  CHECK(done(o.ask(promote_master_key{second})) == "current");
  CHECK(ids_in(o.keys) == std::vector{second, first});
  CHECK(row_of_key(rows, second).status == master_key_status::current);
  CHECK(row_of_key(rows, first).status == master_key_status::old);
  CHECK(row_of_key(rows, second).wrapped.empty());  // no other node needs it from the database
  CHECK(o.keys.open(old, "row") == "secret");
  CHECK(done(o.ask(promote_master_key{second})) == "current");  // again changes nothing
  CHECK(o.problem(promote_master_key{first}) == "The master key " + first + " is not new.");
  CHECK(o.problem(promote_master_key{"k0"}, operator_problem::kind::not_found) == "There is no master key k0.");
}

TEST_CASE("a rotation that was interrupted goes on with the key that it has made") {
  const key_file file{first_hex + "\n"};
  const auto rows = rows_with_key(file);
  SECTION("after the file was written") {
    const auto made = file.source().add();
    office o{rows, false, &file.source()};
    CHECK(rotate(o) == made.id);
  }
  SECTION("after the key was offered") {
    std::string made;
    {
      office o{rows, false, &file.source()};
      made = id_in(o.ask(offer_master_key{}));
    }
    office o{rows, false, &file.source()};
    CHECK(rotate(o) == made);
  }
  SECTION("by a commit that had no answer") {
    office o{rows, false, &file.source()};
    rows->faults = {GENERATE(fault::before_commit, fault::after_commit)};
    CHECK(o.try_out(offer_master_key{}).failed(actor_errc::store_unavailable));
    const auto made = file.keys().back().id;
    CHECK(rotate(o) == made);
  }
  CHECK(file.keys().size() == 2);
}

TEST_CASE("a key that the operator has added to the file is taken before a new one is made, under its own id") {
  const key_file file{first_hex + "\n" + "from-the-vault " + second_hex + "\n"};
  office o{rows_with_key(file), false, &file.source()};
  CHECK(rotate(o) == "from-the-vault");
  CHECK(rotate(o) != "from-the-vault");
  CHECK(file.keys().size() == 3);
}

TEST_CASE("an id that the database has used already is not used again") {
  const key_file file{"same " + first_hex + "\n"};
  office o{rows_with_key(file), false, &file.source()};
  file.write("other " + first_hex + "\nsame " + second_hex + "\n");
  CHECK(rotate(o) == "k" + print_of_hex(second_hex).substr(0, 12));
}

TEST_CASE("a program is asked again for a further line, and a rotation without one is refused") {
  const temporary_directory folder;
  const auto keys = folder.write("keys", first_hex + "\n");
  const auto source = master_key_source::program("cat '" + keys.string() + "'");
  auto rows = std::make_shared<failing_store>();
  unit_of_work unit;
  const auto first = source.read().front();
  unit.inserts.push_back(
      save_master_key{first.id, first.fingerprint, 0, master_key_status::current, {}, from_unix_ms(1)});
  REQUIRE(rows->commit(unit) == commit_outcome::committed);
  office o{rows, false, &source};
  CHECK_THAT(o.problem(offer_master_key{}), Contains("further line") && Contains("master-key-command"));
  folder.write("keys", first_hex + "\n" + second_hex + "\n");
  CHECK(rotate(o) == "k" + print_of_hex(second_hex).substr(0, 12));
  folder.write("keys", "broken");
  CHECK_THAT(o.problem(offer_master_key{}), Contains("64 hexadecimal digits"));
  CHECK(ids_in(o.keys).size() == 2);
}

TEST_CASE("a file that cannot be written refuses the rotation, and nothing has changed") {
  const key_file file{first_hex + "\n"};
  const auto rows = rows_with_key(file);
  office o{rows, false, &file.source()};
  file.remove();
  CHECK_THAT(o.problem(offer_master_key{}), Contains("No new key") && Contains("master.key"));
  CHECK(rows->run(find_master_keys{}).keys.size() == 1);
  CHECK(ids_in(o.keys).size() == 1);
}

TEST_CASE("another node gets a new key from the database into its own file before it is used") {
  const key_file here{first_hex + "\n"}, there{first_hex + "\n"};
  const auto rows = rows_with_key(here);
  office one{rows, true, &here.source()}, other{rows, true, &there.source()};
  const auto id = id_in(one.ask(offer_master_key{}));
  CHECK(row_of_key(rows, id).wrapped.find(second_hex) == std::string::npos);
  other.catch_up_with_log();
  CHECK(there.keys().back().fingerprint == here.keys().back().fingerprint);
  CHECK(there.keys().back().id == id);
  one.ask(promote_master_key{id});
  const auto sealed = one.keys.seal("secret", "row");
  CHECK(other.keys.open(sealed, "row") == "secret");  // although it has not read the second step
  other.catch_up_with_log();
  CHECK(ids_in(other.keys) == ids_in(one.keys));
}

TEST_CASE("nodes that share one file find the key there") {
  const key_file shared{first_hex + "\n"};
  const auto rows = rows_with_key(shared);
  office one{rows, true, &shared.source()}, other{rows, true, &shared.source()};
  rotate(one);
  other.catch_up_with_log();
  CHECK(ids_in(other.keys) == ids_in(one.keys));
  CHECK(shared.keys().size() == 2);
}

TEST_CASE("a node that cannot get the offered key publishes nothing until the offer is withdrawn") {
  const key_file here{first_hex + "\n"};
  const auto rows = rows_with_key(here);
  // Two nodes with programs, of which one has the new key already.
  const temporary_directory folder;
  const auto both = folder.write("both", first_hex + "\n" + second_hex + "\n"),
             old = folder.write("old", first_hex + "\n");
  const auto ahead = master_key_source::program("cat '" + both.string() + "'"),
             behind = master_key_source::program("cat '" + old.string() + "'");
  office one{rows, true, &ahead}, other{rows, true, &behind};
  const auto published = other.kept.published.back();
  const auto id = id_in(one.ask(offer_master_key{}));
  CHECK(row_of_key(rows, id).wrapped.empty());
  other.catch_up_with_log();
  CHECK(other.kept.published.back() == published);
  SECTION("it is withdrawn") {
    CHECK(done(one.ask(withdraw_master_key{id})) == "withdrawn");
    CHECK(done(one.ask(withdraw_master_key{id})) == "withdrawn");
    CHECK(one.problem(promote_master_key{id}, operator_problem::kind::not_found) ==
          "There is no master key " + id + ".");
    other.advance(std::chrono::seconds{1});
    other.catch_up_with_log();
    CHECK(ids_in(other.keys).size() == 1);
  }
  SECTION("its program prints the key after all") {
    folder.write("old", first_hex + "\n" + second_hex + "\n");
    other.advance(std::chrono::seconds{1});
    CHECK(ids_in(other.keys).size() == 2);
  }
  CHECK(other.kept.published.back() > published);
}

TEST_CASE("an old key is retired when nothing needs it, and leaves every node's memory and file") {
  const key_file here{first_hex + "\n"}, there{first_hex + "\n"};
  const auto rows = rows_with_key(here);
  office one{rows, true, &here.source()}, other{rows, true, &there.source()};
  const auto first = here.keys().front().id;
  const auto m = new_shop(one);
  one.ask(mint_key{m, environment::test, *parse_scopes("*")});
  CHECK(one.problem(retire_master_key{first}) == "The master key " + first + " is the current one: rotate first.");
  const auto second = rotate(one);
  other.catch_up_with_log();
  const auto token = one.keys.derive("links").sign("payload");
  CHECK_THAT(one.problem(retire_master_key{first}), Contains("still needed"));
  const auto was = rows->run(find_sealed{sealed_column::api_key, second}).texts.at(0);
  const auto to = "api_key:" + was.id;
  unit_of_work unit;
  unit.claims.push_back(reseal{was, one.keys.seal(*one.keys.open(was.text, to), to)});
  REQUIRE(rows->commit(unit) == commit_outcome::committed);
  CHECK(done(one.ask(retire_master_key{first})) == "retired");
  CHECK(done(one.ask(retire_master_key{first})) == "retired");
  other.catch_up_with_log();
  for (const auto* node : {&one, &other}) {
    CHECK(ids_in(node->keys) == std::vector{second});
    CHECK(node->keys.derive("links").verify(token) == "payload");
    CHECK_FALSE(node->keys.open(was.text, to));
  }
  for (const auto* file : {&here, &there}) {
    CHECK(file->keys().size() == 1);
    CHECK(file->text().find(first_hex) == std::string::npos);
  }
  // A copy of the old line that comes back is not used again.
  here.write(first_hex + "\n" + here.text());
  CHECK(rotate(one) != first);
}

TEST_CASE("a destination that is changed after a rotation is sealed under the new key, although its row was not read") {
  const key_file file{first_hex + "\n"};
  const auto rows = rows_with_key(file);
  office o{rows, false, &file.source()};
  const auto m = new_shop(o);
  const auto made = std::get<destination_secret>(
      o.ask(set_destination{destination_kind::merchant, m.value, environment::test, "https://a.example/h", {}}));
  o.ask(rotate_destination_secret{made.id});
  const auto id = rotate(o);
  o.ask(disable_destination{made.id, "a reason"});
  const auto row = o.stored().destinations.at(0);
  for (const auto& sealed : {row.sealed_secret, row.sealed_previous}) {
    CHECK(crypto::sealing_key_of(sealed) == id);
    CHECK(o.keys.open(sealed, "destination:" + made.id.value));
  }
}

TEST_CASE("a gateway without a source of keys refuses a rotation") {
  office o;
  CHECK(o.problem(offer_master_key{}) == "This gateway cannot rotate its master key.");
}
