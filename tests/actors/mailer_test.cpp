// The mailer: mails are sent once, by one node, again after a failure, and never after they have expired.
#include <catch2/catch.hpp>

#include "failing_store.hpp"
#include "mail/mailer.hpp"
#include "virtual_time.hpp"

using namespace gateway;
using namespace gateway::testing;
using namespace std::chrono_literals;

namespace {

using sending = mail_attempt::outcome;

class plain_composer final : public mail_composer {
 public:
  outgoing_mail compose(const mail_content& what, std::string_view id, time_point) const override {
    return {"from@shop.example", what.to, std::string{id} + ' ' + std::string{what.value("token")}};
  }
};

/// Answers each mail by the script, or keeps it waiting.
class scripted_client final : public mail_client {
 public:
  std::vector<outgoing_mail> sent;
  mail_attempt answer{sending::sent, {}};
  bool held_up = false;

  void send(outgoing_mail mail, std::function<void(mail_attempt)> done) override {
    sent.push_back(std::move(mail));
    if (held_up)
      waiting.push_back(std::move(done));
    else
      done(answer);
  }
  void stop() override { release({sending::failed, "stopped"}); }
  void release(const mail_attempt& with) {
    for (auto& each : std::exchange(waiting, {})) each(with);
  }

 private:
  std::vector<std::function<void(mail_attempt)>> waiting;
};

/// Mailers of several nodes over one store, in virtual time.
class mail_office {
 public:
  explicit mail_office(std::size_t nodes = 1) {
    line_.rows = rows;
    for (std::size_t i = 0; i < nodes; ++i) {
      reader_.push_back(system_.spawn(failing_reader, line_));
      recorder_.push_back(system_.spawn(failing_writer, line_));
      clients.push_back(std::make_unique<scripted_client>());
      mailers_.push_back(actors::spawn_mailer(
          system_, {reader_.back(), recorder_.back(), watch_, sealer, composer_, *clients.back()}));
    }
    coordinator().run();
  }
  ~mail_office() {
    system_.await_actors_before_shutdown(false);
    for (const auto& each : mailers_) caf::anon_send_exit(each, caf::exit_reason::kill);
    for (const auto& each : reader_) caf::anon_send_exit(each, caf::exit_reason::kill);
    for (const auto& each : recorder_) caf::anon_send_exit(each, caf::exit_reason::kill);
    coordinator().clock().cancel_all();
    coordinator().run();
  }
  mail_office(const mail_office&) = delete;
  mail_office& operator=(const mail_office&) = delete;

  std::string queue(mail_kind kind, duration_ms lifetime = notice_lifetime, std::string to = "ada@shop.example") {
    mail_content what{kind, std::move(to), {}};
    what.values.emplace_back("token", "secret");
    auto mail = sealer.seal(what, clock_.at, clock_.at + lifetime);
    const auto id = mail.what.id;
    unit_of_work unit;
    unit.inserts.emplace_back(std::move(mail));
    REQUIRE(rows->commit(unit) == commit_outcome::committed);
    return id;
  }
  void advance(std::chrono::milliseconds by) {
    for (; by > 0ms; by -= 500ms) {
      clock_.at += 500ms;
      coordinator().advance_time(500ms);
      coordinator().run();
    }
  }
  void run() { coordinator().run(); }
  queued_mail mail(const std::string& id) const {
    find_mail query;
    query.id = id;
    const auto found = rows->run(query).mails;
    return found.empty() ? queued_mail{} : found.front();
  }
  commit_outcome retry(const std::string& id) {
    unit_of_work unit;
    unit.claims.emplace_back(retry_mail{id, clock_.at, clock_.at + 24h});
    return rows->commit(unit);
  }
  /// As the end of the process does: drains the mailer and stops its client.
  bool drain() {
    bool answered = false;
    system_.spawn([&](caf::event_based_actor* self) {
      self->request(mailers_.front(), caf::infinite, drain_atom::value).then([&](bool done) { answered = done; });
    });
    coordinator().run();
    clients.front()->stop();
    coordinator().run();
    return answered;
  }
  std::size_t sent() const {
    std::size_t count = 0;
    for (const auto& each : clients) count += each->sent.size();
    return count;
  }
  time_point now() const { return clock_.at; }

  failing_store_ptr rows = std::make_shared<failing_store>();
  mail_sealer sealer{std::string(32, 'k')};
  std::vector<std::unique_ptr<scripted_client>> clients;

 private:
  caf::scheduler::test_coordinator& coordinator() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }

  hand_clock clock_;
  settings config_;
  metrics meters_;
  actors::clock_watch watch_{clock_, clock_.at, config_, meters_};
  plain_composer composer_;
  store_line line_;
  deterministic_config caf_config_;
  caf::actor_system system_{caf_config_};
  std::vector<store_reader> reader_;
  std::vector<store_writer> recorder_;
  std::vector<actors::mailer_actor> mailers_;
};

}  // namespace

TEST_CASE("a queued mail is sent once, and what it said is deleted") {
  mail_office office;
  const auto id = office.queue(mail_kind::forgotten_password, password_link_lifetime);
  CHECK(office.mail(id).sealed.find("secret") == std::string::npos);
  office.advance(3s);
  REQUIRE(office.sent() == 1);
  CHECK(office.clients[0]->sent[0].to == "ada@shop.example");
  CHECK(office.clients[0]->sent[0].message == id + " secret");
  CHECK(office.mail(id).status == mail_status::sent);
  CHECK(office.mail(id).sealed.empty());
  CHECK(office.mail(id).attempts == 1);
  office.advance(10min);
  CHECK(office.sent() == 1);
  CHECK(office.retry(id) == commit_outcome::lost_claim);
}

TEST_CASE("of several nodes one sends a mail") {
  mail_office office{3};
  std::vector<std::string> ids;
  for (int i = 0; i < 20; ++i) ids.push_back(office.queue(mail_kind::new_password));
  office.advance(1min);
  CHECK(office.sent() == ids.size());
  for (const auto& id : ids) CHECK(office.mail(id).status == mail_status::sent);
}

TEST_CASE("a mail that was not accepted is sent again, after pauses that grow to an hour") {
  mail_office office;
  office.clients[0]->answer = {sending::failed, "connection refused"};
  const auto id = office.queue(mail_kind::new_password);
  office.advance(2s);
  CHECK(office.sent() == 1);
  CHECK(office.mail(id).status == mail_status::pending);
  CHECK(office.mail(id).last_error == "connection refused");
  CHECK_FALSE(office.mail(id).sealed.empty());
  office.advance(20s);
  CHECK(office.sent() == 1);
  office.advance(15s);
  CHECK(office.sent() == 2);
  office.advance(1h);
  CHECK(office.sent() < 10);
  office.clients[0]->answer = {sending::sent, {}};
  office.advance(1h + 5s);
  CHECK(office.mail(id).status == mail_status::sent);
  CHECK(office.mail(id).last_error.empty());
}

TEST_CASE("a mail that is refused for good has failed, and an operator can send it again") {
  mail_office office;
  office.clients[0]->answer = {sending::refused, "550"};
  const auto id = office.queue(mail_kind::invitation, 7 * 24h);
  office.advance(1h);
  CHECK(office.sent() == 1);
  CHECK(office.mail(id).status == mail_status::failed);
  CHECK(office.mail(id).ended_at.has_value());
  office.clients[0]->answer = {sending::sent, {}};
  REQUIRE(office.retry(id) == commit_outcome::committed);
  office.advance(2s);
  CHECK(office.sent() == 2);
  CHECK(office.mail(id).status == mail_status::sent);
}

TEST_CASE("a link that has expired is not sent, and its mail cannot be sent again") {
  mail_office office;
  office.clients[0]->answer = {sending::failed, "away"};
  const auto id = office.queue(mail_kind::forgotten_password, password_link_lifetime);
  office.advance(45min);
  const auto tried = office.sent();
  CHECK(office.mail(id).status == mail_status::failed);
  CHECK(office.mail(id).last_error == "away");
  office.clients[0]->answer = {sending::sent, {}};
  CHECK_FALSE(office.mail(id).sealed.empty());
  office.advance(2h);
  CHECK(office.sent() == tried);
  CHECK(office.mail(id).sealed.empty());
  const auto late = office.queue(mail_kind::forgotten_password, -1min);
  office.advance(2s);
  CHECK(office.sent() == tried);
  CHECK(office.mail(late).status == mail_status::failed);
  CHECK(office.mail(late).sealed.empty());
  CHECK(office.retry(late) == commit_outcome::lost_claim);
}

TEST_CASE("an address that would begin another header or command is sent nothing") {
  mail_office office;
  const auto to =
      GENERATE(std::string{"a@b\r\nRCPT TO:<eve@shop.example>"}, std::string{"a@b> <c@d"}, std::string{"a"});
  const auto id = office.queue(mail_kind::new_password, notice_lifetime, to);
  office.advance(2s);
  CHECK(office.sent() == 0);
  CHECK(office.mail(id).status == mail_status::failed);
}

TEST_CASE("a node that dies while it sends leaves a lease, after which another node sends the mail") {
  mail_office office{2};
  for (auto& each : office.clients) each->held_up = true;
  const auto id = office.queue(mail_kind::new_password);
  office.advance(4min);
  CHECK(office.sent() == 1);
  for (auto& each : office.clients) each->held_up = false;
  office.advance(2min);
  CHECK(office.sent() == 2);
  CHECK(office.mail(id).status == mail_status::sent);
  CHECK(office.mail(id).attempts == 2);
  // The first attempt's late outcome changes nothing.
  for (auto& each : office.clients) each->release({sending::refused, "late"});
  office.advance(2s);
  CHECK(office.mail(id).status == mail_status::sent);
}

TEST_CASE("without an answer from the store about the lease no mail is sent before the lease would end") {
  mail_office office;
  const auto id = office.queue(mail_kind::new_password);
  office.rows->faults = {fault::none, fault::after_commit};  // the purge, then the lease
  office.advance(4min);
  CHECK(office.sent() == 0);
  office.advance(2min);
  CHECK(office.sent() == 1);
  CHECK(office.mail(id).status == mail_status::sent);
}

TEST_CASE("at the end of the process an interrupted mail is due at once, for the next process") {
  mail_office office;
  office.clients[0]->held_up = true;
  const auto id = office.queue(mail_kind::new_password);
  const auto other = office.queue(mail_kind::new_browser);
  office.advance(2s);
  CHECK(office.sent() == 2);
  const auto third = office.queue(mail_kind::second_factor_on);
  CHECK(office.drain());
  CHECK(office.mail(id).status == mail_status::pending);
  CHECK(office.mail(id).due_at <= office.now());
  CHECK(office.mail(other).leased_until == std::nullopt);
  office.advance(1min);
  CHECK(office.sent() == 2);
  CHECK(office.mail(third).attempts == 0);
}

TEST_CASE("mails that ended long ago are deleted") {
  mail_office office;
  const auto id = office.queue(mail_kind::new_password);
  office.advance(2s);
  REQUIRE(office.mail(id).status == mail_status::sent);
  unit_of_work unit;
  unit.claims.emplace_back(purge_mail{office.now() - ended_mail_kept, office.now()});
  REQUIRE(office.rows->commit(unit) == commit_outcome::committed);
  CHECK(office.mail(id).id == id);
  unit.claims = {purge_mail{office.now(), office.now()}};
  REQUIRE(office.rows->commit(unit) == commit_outcome::committed);
  CHECK(office.mail(id).id.empty());
}

TEST_CASE("what a mail says is sealed to the mail, with every sign of its values") {
  const mail_sealer sealer{std::string(32, 'k')}, other{std::string(32, 'o')};
  const mail_content what{mail_kind::destination_disabled,
                          "ada@shop.example",
                          {{"reason", "a=b\nc"}, {"empty", ""}, {"merchant", "Zoë & Söhne <b>"}}};
  auto mail = sealer.seal_notice(what, from_unix_ms(1)).what;
  CHECK(sealer.open(mail) == what);
  CHECK_FALSE(other.open(mail));
  mail.id = "mail_another";
  CHECK_FALSE(sealer.open(mail));
  mail.sealed.clear();
  CHECK_FALSE(sealer.open(mail));
}
