// A run as a file: one JSON object. Histograms are stored with their counters, so that a reader can compute any
// percentile and sum up runs.
#include "report.hpp"

#include <array>
#include <cerrno>
#include <cmath>
#include <concepts>
#include <cstring>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <system_error>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "format.hpp"

namespace gateway::load {

namespace json = boost::json;

namespace {

constexpr std::string_view format_name = "gateway-load run";
constexpr std::uint64_t format_version = 1;
constexpr std::uintmax_t most_bytes = 256u << 20;  // a run of a day is a few MiB

// ---- writing ----------------------------------------------------------------------------------------

/// Replaces infinity and NaN, which JSON does not have, so that the rest of a run can be read.
double finite(double value) { return std::isfinite(value) ? value : 0; }

json::object as_json(const histogram& of) {
  json::array counters;
  for (const auto& [value, times] : of.counters()) counters.push_back(json::array{value, times});
  json::object out;
  out["unit"] = "ns";
  out["count"] = of.count();
  out["least"] = of.least();
  out["most"] = of.most();
  // Whole numbers are written as integers, which are read back exactly.
  if (of.sum() < 1.8e19)
    out["sum"] = static_cast<std::uint64_t>(of.sum());
  else
    out["sum"] = of.sum();
  // For jq and for readers; read_json ignores it.
  for (const auto& [name, share] : {std::pair{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}})
    out[name] = of.percentile(share);
  out["counters"] = std::move(counters);
  return out;
}

json::object as_json(const operation_result& of) {
  json::object outcomes;
  for (const auto& [outcome, times] : of.outcomes) outcomes[clean(outcome)] = times;
  return {
      {"name", clean(of.name)}, {"sent", of.sent}, {"outcomes", std::move(outcomes)}, {"latency", as_json(of.latency)}};
}

json::object as_json(const second_result& of) {
  return {{"at_s", finite(of.at_s)},     {"intended", of.intended},       {"answered", of.answered},
          {"failed", of.failed},         {"p50_ms", finite(of.p50_ms)},   {"p90_ms", finite(of.p90_ms)},
          {"p99_ms", finite(of.p99_ms)}, {"most_ms", finite(of.most_ms)}, {"waiting", of.waiting}};
}

json::object as_json(const month_result& of) {
  return {{"paid", of.paid},
          {"failed", of.failed},
          {"ended", of.ended},
          {"charged", of.charged},
          {"refunded", of.refunded}};
}

json::object as_json(const verification& of) {
  json::array shown;
  for (const auto& v : of.shown) {
    json::array ids;
    for (const auto& id : v.request_ids) ids.emplace_back(clean(id));
    shown.push_back(json::object{{"what", clean(v.what)}, {"request_ids", std::move(ids)}});
  }
  return {{"done", of.done},
          {"keys", of.keys},
          {"payments", of.payments},
          {"customers", of.customers},
          {"subscriptions", of.subscriptions},
          {"events", of.events},
          {"settled", of.settled},
          {"violations", of.violations},
          {"shown", std::move(shown)}};
}

json::object as_json(const run_result& run) {
  json::object out{{"format", format_name},
                   {"version", format_version},
                   {"name", clean(run.name)},
                   {"scenario", clean(run.scenario)},
                   {"schedule", clean(run.schedule)},
                   {"target", clean(run.target)},
                   {"began_at", clean(run.began_at)},
                   {"connections", run.connections},
                   {"threads", run.threads},
                   {"merchants", run.merchants},
                   {"random_ids", run.random_ids},
                   {"seconds", finite(run.seconds)},
                   {"intended_per_second", finite(run.intended_per_second)},
                   {"verification", as_json(run.checked)}};
  json::object labels;
  for (const auto& [label, number] : run.labels) labels[clean(label)] = finite(number);
  out["labels"] = std::move(labels);
  json::object errors;
  for (const auto& [outcome, id] : run.errors) errors[clean(outcome)] = clean(id);
  out["errors"] = std::move(errors);
  json::array operations;
  for (const auto& of : run.operations) operations.emplace_back(as_json(of));
  out["operations"] = std::move(operations);
  out["latency"] = as_json(run.latency);
  out["lateness"] = as_json(run.lateness);
  json::array timeline;
  for (const auto& of : run.timeline) timeline.emplace_back(as_json(of));
  out["timeline"] = std::move(timeline);
  if (!run.months.empty()) {
    json::array months;
    for (const auto& of : run.months) months.emplace_back(as_json(of));
    out["months"] = std::move(months);
  }
  return out;
}

// ---- reading ----------------------------------------------------------------------------------------

/// What is wrong with a file's content. read_json adds the file's name.
struct broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A value, and its position in the file.
class node {
 public:
  node(const json::value& value, std::string path) : value_{&value}, path_{std::move(path)} {}

  node operator[](std::string_view name) const {
    const auto* object = value_->if_object();
    if (!object) refuse("is not an object");
    const auto* found = object->if_contains({name.data(), name.size()});
    auto path = path_.empty() ? std::string{name} : path_ + '.' + std::string{name};
    if (!found) throw broken{path + " is missing"};
    return {*found, std::move(path)};
  }

  /// A member that files of older versions do not have.
  bool has(std::string_view name) const {
    const auto* object = value_->if_object();
    return object && object->contains({name.data(), name.size()});
  }

  std::string text() const {
    const auto* found = value_->if_string();
    if (!found) refuse("is not a string");
    return {found->data(), found->size()};
  }
  bool flag() const {
    const auto* found = value_->if_bool();
    if (!found) refuse("is not true or false");
    return *found;
  }
  /// A number that is not negative, as all measurements are.
  double number() const {
    double found = -1;
    if (value_->is_number()) found = value_->to_number<double>();
    if (!(found >= 0) || !std::isfinite(found)) refuse("is not a number of 0 or more");
    return found;
  }
  template <std::unsigned_integral Integer = std::uint64_t>
  Integer whole() const {
    boost::system::error_code failure;
    const auto found = value_->is_number() ? value_->to_number<Integer>(failure) : Integer{};
    if (!value_->is_number() || failure) refuse("is not a whole number in range");
    return found;
  }
  /// Each member of a list, with its position.
  template <typename Each>
  void each(Each&& call) const {
    const auto* list = value_->if_array();
    if (!list) refuse("is not a list");
    for (std::size_t i = 0; i < list->size(); ++i) call(node{(*list)[i], path_ + '[' + std::to_string(i) + ']'});
  }
  template <typename Each>
  void each_member(Each&& call) const {
    const auto* object = value_->if_object();
    if (!object) refuse("is not an object");
    for (const auto& member : *object) {
      const std::string name{member.key().data(), member.key().size()};
      call(name, node{member.value(), path_ + '.' + clean(name)});
    }
  }
  [[noreturn]] void refuse(const std::string& why) const { throw broken{(path_.empty() ? "it" : path_) + ' ' + why}; }

 private:
  const json::value* value_;
  std::string path_;
};

histogram histogram_from(const node& from) {
  if (from["unit"].text() != "ns") from["unit"].refuse("is not \"ns\"");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> counters;
  std::uint64_t all = 0;
  const auto list = from["counters"];
  list.each([&](const node& pair) {
    std::array<std::uint64_t, 2> found{};
    std::size_t count = 0;
    pair.each([&](const node& number) {
      if (count < found.size()) found[count] = number.whole();
      ++count;
    });
    if (count != found.size()) pair.refuse("is not a pair of a value and its count");
    if (found[1] > std::numeric_limits<std::uint64_t>::max() - all) pair.refuse("counts too much");
    all += found[1];
    counters.emplace_back(found[0], found[1]);
  });
  if (all != from["count"].whole()) list.refuse("do not add up to its count");
  const auto least = from["least"].whole();
  const auto most = from["most"].whole();
  if (least > most) from["least"].refuse("is more than the most");
  return histogram::restored(counters, from["sum"].number(), least, most);
}

operation_result operation_from(const node& from) {
  operation_result out;
  out.name = from["name"].text();
  out.sent = from["sent"].whole();
  from["outcomes"].each_member(
      [&](const std::string& outcome, const node& times) { out.outcomes[outcome] = times.whole(); });
  out.latency = histogram_from(from["latency"]);
  return out;
}

month_result month_from(const node& from) {
  month_result out;
  out.paid = from["paid"].whole();
  out.failed = from["failed"].whole();
  out.ended = from["ended"].whole();
  out.charged = static_cast<std::int64_t>(from["charged"].whole());
  out.refunded = static_cast<std::int64_t>(from["refunded"].whole());
  return out;
}

second_result second_from(const node& from) {
  second_result out;
  out.at_s = from["at_s"].number();
  out.intended = from["intended"].whole();
  out.answered = from["answered"].whole();
  out.failed = from["failed"].whole();
  out.p50_ms = from["p50_ms"].number();
  out.p90_ms = from["p90_ms"].number();
  out.p99_ms = from["p99_ms"].number();
  out.most_ms = from["most_ms"].number();
  out.waiting = from["waiting"].whole();
  return out;
}

verification verification_from(const node& from) {
  verification out;
  out.done = from["done"].flag();
  out.keys = from["keys"].whole();
  out.payments = from["payments"].whole();
  if (from.has("customers")) out.customers = from["customers"].whole();
  if (from.has("subscriptions")) out.subscriptions = from["subscriptions"].whole();
  out.events = from["events"].whole();
  out.settled = from["settled"].whole();
  out.violations = from["violations"].whole();
  from["shown"].each([&](const node& one) {
    auto& made = out.shown.emplace_back();
    made.what = one["what"].text();
    one["request_ids"].each([&](const node& id) { made.request_ids.push_back(id.text()); });
  });
  return out;
}

run_result run_from(const json::value& value) {
  const auto* object = value.if_object();
  const auto* format = object ? object->if_contains("format") : nullptr;
  if (!format || !format->is_string() || format->get_string() != format_name)
    throw broken{"it was not written by gateway-load"};
  const node from{value, ""};
  const auto version = from["version"].whole();
  if (version != format_version)
    throw broken{"it has version " + std::to_string(version) + ", this gateway-load reads version " +
                 std::to_string(format_version)};
  run_result run;
  run.name = from["name"].text();
  run.scenario = from["scenario"].text();
  run.schedule = from["schedule"].text();
  run.target = from["target"].text();
  run.began_at = from["began_at"].text();
  run.connections = from["connections"].whole<unsigned>();
  run.threads = from["threads"].whole<unsigned>();
  if (from.has("merchants")) run.merchants = from["merchants"].whole<unsigned>();
  if (from.has("random_ids")) run.random_ids = from["random_ids"].flag();
  if (from.has("labels"))
    from["labels"].each_member([&](const std::string& label, const node& is) { run.labels[label] = is.number(); });
  run.seconds = from["seconds"].number();
  run.intended_per_second = from["intended_per_second"].number();
  from["operations"].each([&](const node& one) { run.operations.push_back(operation_from(one)); });
  run.latency = histogram_from(from["latency"]);
  run.lateness = histogram_from(from["lateness"]);
  from["timeline"].each([&](const node& one) { run.timeline.push_back(second_from(one)); });
  if (from.has("months")) from["months"].each([&](const node& one) { run.months.push_back(month_from(one)); });
  from["errors"].each_member([&](const std::string& outcome, const node& id) { run.errors[outcome] = id.text(); });
  run.checked = verification_from(from["verification"]);
  return run;
}

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& why) {
  throw std::runtime_error{clean(file.string()) + ": " + why};
}

std::string content_of(const std::filesystem::path& file) {
  std::error_code failure;
  if (std::filesystem::is_directory(file, failure)) fail(file, "is a folder");
  errno = 0;
  std::ifstream in{file, std::ios::binary};
  if (!in) fail(file, std::string{"cannot be read: "} + std::strerror(errno));
  std::string text;
  std::array<char, 65536> part;
  while (in.read(part.data(), part.size()), in.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > most_bytes) fail(file, "is too large for a run");
  }
  if (in.bad()) fail(file, "cannot be read to its end");
  return text;
}

}  // namespace

void write_json(const run_result& run, const std::filesystem::path& file) {
  const auto text = json::serialize(as_json(run));
  errno = 0;
  std::ofstream out{file, std::ios::binary | std::ios::trunc};
  out << text << '\n';
  out.close();
  if (!out) fail(file, std::string{"cannot be written: "} + std::strerror(errno));
}

run_result read_json(const std::filesystem::path& file) {
  const auto text = content_of(file);
  boost::system::error_code failure;
  const auto value = json::parse(text, failure);
  if (failure) fail(file, "not a run: it is not JSON (" + failure.message() + ")");
  try {
    return run_from(value);
  } catch (const broken& why) {
    fail(file, std::string{"not a run: "} + why.what());
  }
}

}  // namespace gateway::load
