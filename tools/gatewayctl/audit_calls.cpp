#include "audit_calls.hpp"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include "output.hpp"

namespace gateway::ctl {

namespace {

namespace json = boost::json;

constexpr int entries_of_page = 500;
/// How many problems are shown; the rest are only counted.
constexpr std::size_t most_problems_shown = 100;

constexpr column problem_columns[] = {{"problem", "PROBLEM"},
                                      {"chain", "CHAIN"},
                                      {"number", "NUMBER"},
                                      {"audit_id", "ENTRY"},
                                      {"message", "MESSAGE", 4'096}};
constexpr column head_columns[] = {
    {"chain", "CHAIN"}, {"number", "ENTRIES"}, {"purged_to", "PURGED"}, {"hash", "HASH", 64}};

class audit_verification {
 public:
  explicit audit_verification(const operator_poster& post) : post_(post) {}

  void verify_chains() {
    json::object body;
    for (;;) {
      const auto answer = post_("/operator/audit/verify", body);
      entries_ += answer.at("entries").as_int64();
      erased_ += answer.at("erased").as_int64();
      unlinked_ += answer.at("unlinked").as_int64();
      add_problems(answer);
      if (const auto* head = answer.if_contains("head")) heads_.push_back(*head);
      const auto* next = answer.if_contains("next");
      if (!next) return;
      body = next->as_object();
    }
  }

  void compare(const audit_witness& named) {
    add_problems(
        post_("/operator/audit/compare", {{"chain", named.chain}, {"number", named.number}, {"hash", named.hash}}));
  }

  bool is_good() const noexcept { return problem_count_ == 0; }

  json::object as_json() const {
    auto answer = sums();
    answer["problems"] = problems_;
    answer["heads"] = heads_;
    return answer;
  }

  void write(bool as_json, std::ostream& out) const {
    if (as_json) {
      out << json::serialize(this->as_json()) << '\n';
      return;
    }
    out << as_lines(sums());
    if (!problems_.empty()) out << '\n' << as_table(problem_columns, problems_);
    if (!heads_.empty()) out << '\n' << as_table(head_columns, heads_);
  }

 private:
  json::object sums() const {
    json::object answer{{"ok", is_good()}, {"entries", entries_}, {"erased", erased_}, {"unlinked", unlinked_}};
    if (problem_count_ > problems_.size()) answer["problems_left_out"] = problem_count_ - problems_.size();
    return answer;
  }

  void add_problems(const json::object& answer) {
    for (const auto& each : answer.at("problems").as_array()) {
      ++problem_count_;
      if (problems_.size() < most_problems_shown) problems_.push_back(each);
    }
  }

  const operator_poster& post_;
  std::int64_t entries_ = 0, erased_ = 0, unlinked_ = 0;
  std::size_t problem_count_ = 0;
  json::array problems_, heads_;
};

}  // namespace

void export_audit(const audit_export_request& request, const operator_poster& post, std::ostream& out) {
  auto body = request.filter;
  body["oldest_first"] = true;
  body["limit"] = entries_of_page;
  for (bool first = true;;) {
    // The first request precedes all output, so that a refused export writes nothing.
    const auto answer = post("/operator/audit/list", body);
    if (first) out << R"({"entries":[)";
    for (const auto& entry : answer.at("entries").as_array())
      out << (std::exchange(first, false) ? "\n" : ",\n") << json::serialize(entry);
    const auto* next = answer.if_contains("next");
    if (!next) break;
    body["after"] = *next;
  }
  out << "]}\n";
}

json::object verified_audit(const operator_poster& post) {
  audit_verification verification{post};
  verification.verify_chains();
  return verification.as_json();
}

bool verify_audit(const audit_verify_request& request, const operator_poster& post, std::ostream& out) {
  audit_verification verification{post};
  verification.verify_chains();
  for (const auto& head : request.heads) verification.compare(head);
  verification.write(request.as_json, out);
  return verification.is_good();
}

}  // namespace gateway::ctl
