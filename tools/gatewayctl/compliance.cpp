#include "compliance.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include "audit_calls.hpp"
#include "config/setting_values.hpp"
#include "gateway/domain/time.hpp"

namespace gateway::ctl {

namespace {

namespace json = boost::json;
using std::chrono::days;
using std::chrono::milliseconds;

/// PCI DSS 10.5.1: twelve months of history at least.
constexpr days audit_term{365};
/// PCI DSS 8.2.8: an idle session ends after a quarter of an hour.
constexpr milliseconds longest_idle{15 * 60'000};
/// A master key is changed at the end of its crypto-period. The operator defines it; a year is usual.
constexpr days key_term{365};
constexpr days backup_term{7};
constexpr std::string_view backup_action = "make backup";
/// How many pages of the audit log, and entries of each, are searched for the newest backup.
constexpr int audit_pages = 20;
constexpr int entries_of_audit_page = 1'000;

std::string member_text(const json::object& from, std::string_view name) {
  return json::value_to<std::string>(from.at(name));
}

std::string counted(std::int64_t n, std::string_view one, std::string_view many) {
  return std::to_string(n) + ' ' + std::string{n == 1 ? one : many};
}

/// One requirement. It is met if nothing is missing.
struct requirement {
  std::string_view number, title, where;
  json::array evidence{}, missing{};

  json::object as_json() && {
    json::object made{{"requirement", number}, {"title", title}, {"met", missing.empty()}, {"where", where}};
    made["evidence"] = std::move(evidence);
    made["missing"] = std::move(missing);
    return made;
  }
};

class assessment {
 public:
  assessment(const json::object& facts, const json::object& audit, const json::object& backup)
      : settings_(facts.at("settings").as_object()),
        keys_(facts.at("master_keys").as_array()),
        operators_(facts.at("operators").as_array()),
        audit_(audit),
        backup_(backup),
        today_(day_in(facts, "checked_at")) {}

  json::array all() const {
    json::array list;
    for (const auto check : {&assessment::kept_data, &assessment::key_storage, &assessment::key_change,
                             &assessment::named_operators, &assessment::idle_sessions, &assessment::second_factors,
                             &assessment::audit_protection, &assessment::audit_history, &assessment::backups})
      list.emplace_back((this->*check)().as_json());
    return list;
  }

 private:
  /// The day of a time that the gateway wrote.
  static std::chrono::sys_days day_in(const json::object& from, std::string_view name) {
    return parse_day(member_text(from, name).substr(0, 10)).value_or(std::chrono::sys_days{});
  }

  std::optional<milliseconds> duration(std::string_view name) const {
    const auto& value = settings_.at(name);
    return value.is_null() ? std::nullopt : std::optional{milliseconds{value.as_int64()}};
  }

  /// `payments-kept: 60d`, for the fact `payments_kept_ms`.
  std::string shown_setting(std::string_view name, std::string_view fact) const {
    return std::string{name} + ": " + format_retention(duration(fact));
  }

  requirement kept_data() const {
    requirement r{"3.2.1", "Stored data is kept no longer than needed",
                  "Retention by class of data, purged within a minute; personal-data erase. Card numbers and security "
                  "codes are never stored."};
    for (const auto& [name, fact] :
         {std::pair{"payments-kept", "payments_kept_ms"}, std::pair{"events-kept", "events_kept_ms"},
          std::pair{"deliveries-kept", "deliveries_kept_ms"}, std::pair{"notifications-kept", "notifications_kept_ms"},
          std::pair{"idempotency-kept", "idempotency_kept_ms"}})
      r.evidence.emplace_back(shown_setting(name, fact));
    if (!duration("payments_kept_ms")) r.missing.emplace_back("payments are kept for ever: set payments-kept");
    return r;
  }

  requirement key_storage() const {
    requirement r{
        "3.6.1", "Keys are protected against disclosure and misuse",
        "Secrets are sealed with AES-256-GCM under the master key, which master-key-command gets from a vault "
        "or a KMS. Dumps and tracing of the process are forbidden unless core-dumps is set."};
    const bool by_program = settings_.at("master_key_command").as_bool();
    r.evidence.emplace_back(by_program ? "master-key-command is set" : "the master key is in a file");
    if (settings_.at("master_key_beside_data").as_bool())
      r.missing.emplace_back("the master key is in the data directory, beside what it seals: set master-key-command");
    else if (!by_program)
      r.missing.emplace_back("the master key is in a file in the clear: set master-key-command");
    if (settings_.at("dev").as_bool())
      r.missing.emplace_back("the gateway runs with dev, which is for development only: start it without");
    if (settings_.at("core_dumps").as_bool())
      r.missing.emplace_back("core-dumps is set: a dump of the process holds the keys in the clear");
    return r;
  }

  requirement key_change() const {
    requirement r{"3.7.4", "Keys are changed at the end of their crypto-period",
                  "gatewayctl master-key rotate, status and retire; what older keys seal is resealed while the gateway "
                  "serves."};
    const json::object* current = nullptr;
    std::int64_t left = 0, old = 0;
    for (const auto& each : keys_) {
      const auto& key = each.as_object();
      const auto status = member_text(key, "status");
      if (status == "current") current = &key;
      if (status != "old") continue;
      ++old;
      left += key.at("sealed").as_int64();
    }
    r.evidence.emplace_back(counted(static_cast<std::int64_t>(keys_.size()), "master key", "master keys") +
                            " since the installation");
    if (!current) {
      r.missing.emplace_back("no master key is recorded as the current one");
      return r;
    }
    const auto age = today_ - day_in(*current, "created_at");
    r.evidence.emplace_back(member_text(*current, "id") + " is current since " +
                            format_day(day_in(*current, "created_at")) + " (" + counted(age.count(), "day", "days") +
                            "), and seals " + counted(current->at("sealed").as_int64(), "secret", "secrets"));
    if (old > 0)
      r.evidence.emplace_back(counted(old, "older key", "older keys") + " still " + (old == 1 ? "seals " : "seal ") +
                              counted(left, "secret", "secrets"));
    if (age > key_term) r.missing.emplace_back("the current master key is older than a year: rotate it");
    return r;
  }

  std::int64_t unfinished() const {
    std::int64_t n = 0;
    for (const auto& each : operators_) n += each.as_object().at("is_set_up").as_bool() ? 0 : 1;
    return n;
  }

  std::string set_up_operators() const {
    const auto all = static_cast<std::int64_t>(operators_.size());
    return counted(all, "operator", "operators") + ", " + std::to_string(all - unfinished()) +
           " set up with a password and a second factor";
  }

  requirement named_operators() const {
    requirement r{"8.2.1", "Each person has an identity of their own",
                  "Operators of the console sign in by name; over the socket the operator is the Unix user; persons of "
                  "the portal sign in by their address. The audit log names who made each change."};
    r.evidence.emplace_back(settings_.at("console").as_bool() ? set_up_operators()
                                                              : "there is no console: operator-listen is not set");
    for (const auto& each : operators_) {
      const auto& who = each.as_object();
      r.evidence.emplace_back(member_text(who, "name") + " (" + member_text(who, "role") + ")" +
                              (who.at("is_set_up").as_bool() ? "" : ", not set up"));
    }
    if (settings_.at("console").as_bool() && operators_.empty())
      r.missing.emplace_back("the console has no operators: gatewayctl operator add");
    return r;
  }

  requirement idle_sessions() const {
    requirement r{"8.2.8", "Sessions end after 15 idle minutes",
                  "A session of the console or of the portal ends after the time of its setting without a request, and "
                  "the person signs in again."};
    for (const auto& [name, fact] : {std::pair{"console-session-idle", "console_session_idle_ms"},
                                     std::pair{"portal-session-idle", "portal_session_idle_ms"}}) {
      r.evidence.emplace_back(shown_setting(name, fact));
      if (duration(fact).value_or(longest_idle) > longest_idle)
        r.missing.emplace_back(std::string{name} + " is longer than 15m: set it to 15m or less");
    }
    return r;
  }

  requirement second_factors() const {
    requirement r{"8.4.2", "Access asks for a second factor",
                  "The console asks every operator for a code beside the password. The operator socket is reached only "
                  "from this machine, whose own sign-in is not checked here. In the portal each person decides whether "
                  "a code is asked for."};
    r.evidence.emplace_back(settings_.at("console").as_bool() ? set_up_operators()
                                                              : "there is no console: operator-listen is not set");
    if (const auto n = unfinished(); n > 0)
      r.missing.emplace_back(counted(n, "operator has", "operators have") + " not set up password and second factor");
    return r;
  }

  requirement audit_protection() const {
    requirement r{
        "10.3", "Audit logs are protected from changes",
        "Each entry carries the hash of the one before (gatewayctl audit verify); the chains' ends are written "
        "to the process log: collect it on another machine."};
    std::int64_t purged = 0;
    for (const auto& each : audit_.at("heads").as_array())
      if (const auto* to = each.as_object().if_contains("purged_to")) purged += to->as_int64();
    r.evidence.emplace_back(
        counted(audit_.at("entries").as_int64(), "entry", "entries") + " verified in " +
        counted(static_cast<std::int64_t>(audit_.at("heads").as_array().size()), "chain", "chains"));
    if (purged > 0) r.evidence.emplace_back(counted(purged, "older entry", "older entries") + " purged by audit-kept");
    if (const auto unlinked = audit_.at("unlinked").as_int64(); unlinked > 0)
      r.evidence.emplace_back(counted(unlinked, "entry", "entries") + " from before entries were linked");
    if (!audit_.at("ok").as_bool())
      r.missing.emplace_back("the check of the audit log found problems: gatewayctl audit verify");
    return r;
  }

  requirement audit_history() const {
    requirement r{"10.5.1", "The audit log's history is kept for twelve months",
                  "Entries stay in the database for the time of audit-kept; gatewayctl audit list and export read all "
                  "of them at once."};
    r.evidence.emplace_back(shown_setting("audit-kept", "audit_kept_ms"));
    if (const auto kept = duration("audit_kept_ms"); kept && *kept < audit_term)
      r.missing.emplace_back("audit-kept is less than twelve months");
    return r;
  }

  requirement backups() const {
    requirement r{
        "backups", "A backup can be restored",
        "gatewayctl backup and backup-verify; for MariaDB and MySQL their own tools. Restoring is described in "
        "docs/operators.md."};
    if (const auto engine = member_text(settings_, "engine"); !engine.empty())
      r.evidence.emplace_back("the database is " + engine);
    if (backup_.empty()) {
      r.missing.emplace_back(settings_.at("store").as_string() == "sqlite"
                                 ? "the audit log names no backup: gatewayctl backup DIR"
                                 : "the database server is backed up by its own tools, and the audit log names no "
                                   "backup: gatewayctl backup-record DIR");
    } else {
      const auto age = today_ - day_in(backup_, "occurred_at");
      r.evidence.emplace_back("the last backup was made on " + format_day(day_in(backup_, "occurred_at")) + " by " +
                              member_text(backup_, "actor"));
      if (age > backup_term) r.missing.emplace_back("the last backup is older than a week");
    }
    return r;
  }

  const json::object& settings_;
  const json::array& keys_;
  const json::array& operators_;
  const json::object& audit_;
  const json::object& backup_;
  std::chrono::sys_days today_;
};

/// The newest entry about a backup; empty if the latest entries have none.
json::object newest_backup(const operator_poster& post) {
  json::object body{{"limit", entries_of_audit_page}};
  for (int page = 0; page < audit_pages; ++page) {
    const auto answer = post("/operator/audit/list", body);
    for (const auto& each : answer.at("entries").as_array())
      if (member_text(each.as_object(), "action") == backup_action) return each.as_object();
    const auto* next = answer.if_contains("next");
    if (!next) break;
    body["after"] = *next;
  }
  return {};
}

void append_lines(std::string& out, std::string_view heading, const json::array& statements) {
  for (const auto& each : statements)
    out.append("  ").append(heading).append(json::value_to<std::string>(each)).append(1, '\n');
}

}  // namespace

json::object compliance_of(const json::object& facts, const json::object& audit, const json::object& backup) {
  return {{"checked_at", facts.at("checked_at")},
          {"node", facts.at("node")},
          {"requirements", assessment{facts, audit, backup}.all()}};
}

std::string compliance_as_text(const json::object& compliance) {
  constexpr std::size_t widest_number = 9;
  const auto& all = compliance.at("requirements").as_array();
  const auto met = std::ranges::count_if(all, [](const auto& each) { return each.as_object().at("met").as_bool(); });
  const auto at = member_text(compliance, "checked_at");
  const auto node = member_text(compliance, "node");
  auto out = "PCI DSS 4.0, what a gateway can show of it, checked at " + at.substr(0, 10) + ' ' + at.substr(11, 5) +
             " UTC" + (node.empty() ? "" : " on node " + node) + ": " + std::to_string(met) + " of " +
             std::to_string(all.size()) + " met\n\n";
  for (const auto& each : all) {
    const auto& one = each.as_object();
    const auto number = member_text(one, "requirement");
    out.append(number).append(widest_number - std::min(widest_number, number.size()), ' ');
    out.append(one.at("met").as_bool() ? "met      " : "NOT MET  ").append(member_text(one, "title")).append(1, '\n');
    out.append("  where:    ").append(member_text(one, "where")).append(1, '\n');
    append_lines(out, "evidence: ", one.at("evidence").as_array());
    append_lines(out, "missing:  ", one.at("missing").as_array());
  }
  return out;
}

void write_compliance(bool as_json, const operator_poster& post, std::ostream& out) {
  const auto facts = post("/operator/compliance", {});
  const auto audit = verified_audit(post);
  const auto compliance = compliance_of(facts, audit, newest_backup(post));
  if (as_json)
    out << json::serialize(compliance) << '\n';
  else
    out << compliance_as_text(compliance);
}

}  // namespace gateway::ctl
