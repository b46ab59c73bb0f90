#include "recover_calls.hpp"

#include <set>
#include <stdexcept>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "output.hpp"

namespace gateway::ctl {

namespace {

namespace json = boost::json;

/// Payments in these states, and all with an unknown outcome, are queried at their providers. Changes of others are in
/// the providers' lists of events.
constexpr const char* unsettled_states[] = {"created", "processing", "authorized"};
/// How often to check whether the events that were read have been applied; a second apart.
constexpr int most_looks = 120;
constexpr int notifications_of_page = 1'000;

constexpr column unanswered_columns[] = {
    {"payment_id", "PAYMENT"}, {"merchant_id", "MERCHANT"}, {"mode", "MODE"}, {"message", "MESSAGE", 4'096}};
constexpr column unknown_columns[] = {{"provider", "PROVIDER"}, {"mode", "MODE"}, {"about", "UNKNOWN HERE", 4'096}};

std::string text_of(const json::object& from, const char* name) {
  const auto* value = from.if_contains(name);
  return value && value->is_string() ? std::string{value->get_string()} : std::string{};
}

std::int64_t count_of(const json::object& from, const char* name) {
  const auto* value = from.if_contains(name);
  return value && value->is_int64() ? value->get_int64() : 0;
}

class recovery {
 public:
  recovery(const recover_request& request, const operator_poster& post, const pause_between& pause,
           std::ostream& progress)
      : request_(request), post_(post), pause_(pause), progress_(progress) {}

  bool run() {
    const auto begun = post_("/operator/recovery/begin", {{"from", request_.from}});
    required_ = begun.at("required").as_bool();
    without_list_ = begun.at("without_list").as_array();
    for (const auto& list : begun.at("lists").as_array()) read_events(list.as_object());
    wait_until_applied();
    for (const auto* state : unsettled_states) refresh({{"state", state}});
    refresh({});
    find_unknown();
    compare_sandbox_ledger();
    if (!unanswered_.empty() && !request_.accepts_unanswered) return false;
    post_("/operator/recovery/finish", {{"from", request_.from},
                                        {"refreshed", refreshed_},
                                        {"changed", changed_},
                                        {"unanswered", static_cast<std::int64_t>(unanswered_.size())},
                                        {"unknown", static_cast<std::int64_t>(unknown_.size())}});
    return true;
  }

  void write(bool is_recovered, std::ostream& out) const {
    json::object answer{{"recovered", is_recovered}, {"required", required_}, {"events", events_}, {"new", new_},
                        {"refreshed", refreshed_},   {"changed", changed_}};
    if (request_.as_json) {
      answer["unanswered"] = unanswered_;
      answer["unknown"] = unknown_;
      answer["without_list"] = without_list_;
      out << json::serialize(answer) << '\n';
      return;
    }
    answer["unanswered"] = static_cast<std::int64_t>(unanswered_.size());
    answer["unknown"] = static_cast<std::int64_t>(unknown_.size());
    out << as_lines(answer);
    if (!unanswered_.empty()) out << '\n' << as_table(unanswered_columns, unanswered_);
    if (!unknown_.empty()) out << '\n' << as_table(unknown_columns, unknown_);
    for (const auto& each : without_list_)
      out << "note: " << text_of(each.as_object(), "provider") << " (" << text_of(each.as_object(), "mode")
          << ") keeps no list of events: compare its settlement report with gatewayctl reconcile\n";
  }

 private:
  /// An incomplete answer means that the gateway is still reading; the next request joins that read.
  void read_events(const json::object& list) {
    if (!request_.as_json)
      progress_ << "reading the events of " << text_of(list, "provider") << " (" << text_of(list, "mode") << ")\n";
    for (;;) {
      const auto read = post_(
          "/operator/providers/backfill",
          {{"provider", list.at("provider")}, {"mode", list.at("mode")}, {"from", request_.from}, {"join", true}});
      if (!read.at("complete").as_bool()) continue;
      events_ += count_of(read, "events");
      new_ += count_of(read, "new");
      return;
    }
  }

  json::array waiting_notifications(const json::object* behind) const {
    json::object body{{"state", "waiting"}, {"limit", notifications_of_page}};
    if (behind) {
      body["before"] = behind->at("received_at");
      body["before_id"] = behind->at("id");
    }
    return post_("/operator/notifications/list", body).at("notifications").as_array();
  }

  /// Calls `each` with every waiting notification, until it returns false.
  template <class Each>
  void for_each_waiting(Each each) const {
    for (json::array page = waiting_notifications(nullptr); !page.empty();) {
      for (const auto& one : page)
        if (!each(one.as_object())) return;
      if (page.size() < notifications_of_page) return;
      const auto last = page.back().as_object();
      page = waiting_notifications(&last);
    }
  }

  void wait_until_applied() const {
    for (int look = 0; look < most_looks; ++look) {
      bool is_new = false;
      for_each_waiting([&](const json::object& one) { return !(is_new = count_of(one, "attempts") == 0); });
      if (!is_new) return;
      pause_();
    }
    throw std::runtime_error("the events that were read have not been applied yet: run recover again");
  }

  void refresh(json::object part) {
    for (;;) {
      const auto made = post_("/operator/recovery/payments", part);
      refreshed_ += count_of(made, "refreshed");
      changed_ += count_of(made, "changed");
      for (const auto& each : made.at("unanswered").as_array()) unanswered_.push_back(each);
      const auto next = text_of(made, "next");
      if (next.empty()) return;
      part["after"] = next;
    }
  }

  void add_unknown(const std::string& provider, const std::string& mode, const std::string& about) {
    if (about.empty() || !named_.insert(provider + ' ' + mode + ' ' + about).second) return;
    unknown_.push_back(json::object{{"provider", provider}, {"mode", mode}, {"about", about}});
  }

  /// Notifications about an object that this database lacks stay waiting; their `about` is the object.
  void find_unknown() {
    for_each_waiting([&](const json::object& one) {
      add_unknown(text_of(one, "provider"), text_of(one, "mode"), text_of(one, "about"));
      return true;
    });
  }

  void compare_sandbox_ledger() {
    for (json::object body{{"from", request_.from}};;) {
      const auto part = post_("/operator/recovery/sandbox-ledger", body);
      for (const auto& each : part.at("missing").as_array()) {
        const auto& one = each.as_object();
        add_unknown(
            "sandbox", text_of(one, "mode"),
            "payment " + text_of(one, "merchant_id") + '/' + text_of(one, "mode") + '/' + text_of(one, "payment_id"));
      }
      const auto next = count_of(part, "next");
      if (next == 0) return;
      body["offset"] = next;
    }
  }

  const recover_request& request_;
  const operator_poster& post_;
  const pause_between& pause_;
  std::ostream& progress_;
  bool required_ = false;
  std::int64_t events_ = 0, new_ = 0, refreshed_ = 0, changed_ = 0;
  json::array unanswered_, unknown_, without_list_;
  std::set<std::string> named_;
};

}  // namespace

bool recover(const recover_request& request, const operator_poster& post, const pause_between& pause, std::ostream& out,
             std::ostream& progress) {
  recovery all{request, post, pause, progress};
  const bool is_recovered = all.run();
  all.write(is_recovered, out);
  if (!is_recovered)
    progress << "not recovered: some payments' providers did not answer. Run recover again, or with "
                "--accept-unanswered\n";
  return is_recovered;
}

}  // namespace gateway::ctl
