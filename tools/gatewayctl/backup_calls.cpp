#include "backup_calls.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "gateway/domain/time.hpp"
#include "output.hpp"
#include "persistence/backup/backup.hpp"

namespace gateway::ctl {

namespace {

namespace json = boost::json;

/// Adds the manifest's values to the answer. Text output has one value in each line, and leaves out lists.
void add_manifest(json::object& answer, const std::string& manifest, bool with_lists) {
  boost::system::error_code failure;
  const auto parsed = json::parse(manifest, failure);
  if (failure || !parsed.is_object()) return;
  for (const auto& [name, value] : parsed.get_object())
    if (with_lists || !value.is_array()) answer[name] = value;
  if (with_lists) return;
  for (const auto& count : parsed.get_object().at("counts").as_array())
    answer[count.as_object().at("table").as_string()] = count.as_object().at("rows");
}

void write_answer(const json::object& answer, bool as_json, std::ostream& out) {
  if (as_json)
    out << json::serialize(answer) << '\n';
  else
    out << as_lines(answer);
}

}  // namespace

void make_backup(const backup_request& request, const operator_poster& post, std::ostream& out) {
  const auto to = std::filesystem::absolute(request.to).lexically_normal();
  const auto store = post("/operator/backup", {{"directory", to.string()}});
  const auto from = request.data_dir / std::string{store.at("database").as_string()};
  const auto made = persistence::make_backup(from, to, GATEWAY_VERSION, system_wall_clock{}.now());
  // Recorded only now, because a failed copy is no backup.
  post("/operator/backup/made", {{"directory", to.string()}, {"manifest_sha256", made.manifest_sha256}});
  json::object answer{{"directory", to.string()}};
  add_manifest(answer, made.manifest, request.as_json);
  answer["manifest_sha256"] = made.manifest_sha256;
  write_answer(answer, request.as_json, out);
}

void record_backup(const backup_request& request, const operator_poster& post, std::ostream& out) {
  post("/operator/backup/made", {{"directory", request.to.string()}});
  write_answer({{"directory", request.to.string()}}, request.as_json, out);
}

bool verify_backup(const backup_request& request, std::ostream& out) {
  const auto found = persistence::verify_backup(request.to);
  const bool is_good = found.problems.empty();
  json::object answer{{"ok", is_good}, {"directory", request.to.string()}};
  if (is_good) add_manifest(answer, found.manifest, request.as_json);
  if (!found.manifest_sha256.empty()) answer["manifest_sha256"] = found.manifest_sha256;
  if (request.as_json) answer["problems"] = json::array(found.problems.begin(), found.problems.end());
  write_answer(answer, request.as_json, out);
  if (request.as_json) return is_good;
  for (const auto& problem : found.problems) out << "problem: " << problem << '\n';
  return is_good;
}

}  // namespace gateway::ctl
