#include "store.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <system_error>

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

std::string key_of(const caller& who) { return who.account + (who.live ? "/live/" : "/test/") + who.idempotency_key; }

bool belongs(const json::object& object, const caller& who) {
  return object.at("_account") == json::value(who.account) && object.at("livemode") == json::value(who.live);
}

void write_whole(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw std::system_error{errno, std::generic_category(), "the ledger"};
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

std::string random_id(std::string_view prefix) {
  static constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  unsigned char bytes[24];
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes) throw std::runtime_error{"no random numbers"};
  std::string id{prefix};
  for (const auto byte : bytes) id += letters[byte % letters.size()];
  return id;
}

std::int64_t now_milliseconds() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::int64_t now_seconds() { return now_milliseconds() / 1000; }

store::store(std::filesystem::path ledger, bool synced) : file_{std::move(ledger)}, synced_{synced} {
  read_back();
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor_ < 0) throw std::system_error{errno, std::generic_category(), file_.string()};
}

store::~store() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

/// Removes a last line that a kill has cut short: its request was never answered.
void store::read_back() {
  std::ifstream in{file_, std::ios::binary};
  if (!in) return;
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  std::size_t at = 0;
  for (auto end = text.find('\n'); end != text.npos; at = end + 1, end = text.find('\n', at))
    apply(json::parse({text.data() + at, end - at}).as_object());
  if (at < text.size()) std::filesystem::resize_file(file_, at);
}

const json::object* store::find_anyones(std::string_view kind, std::string_view id) const {
  const auto of = kinds_.find(kind);
  if (of == kinds_.end()) return nullptr;
  const auto at = of->second.by_id.find(id);
  return at == of->second.by_id.end() ? nullptr : &at->second;
}

const json::object* store::find(std::string_view kind, std::string_view id, const caller& who) const {
  const auto* found = find_anyones(kind, id);
  return found && belongs(*found, who) ? found : nullptr;
}

std::vector<const json::object*> store::all_of_everyone(std::string_view kind) const {
  std::vector<const json::object*> found;
  const auto of = kinds_.find(kind);
  if (of == kinds_.end()) return found;
  for (auto id = of->second.order.rbegin(); id != of->second.order.rend(); ++id)
    found.push_back(&of->second.by_id.find(*id)->second);
  return found;
}

std::vector<const json::object*> store::all(std::string_view kind, const caller& who) const {
  auto found = all_of_everyone(kind);
  std::erase_if(found, [&](const auto* each) { return !belongs(*each, who); });
  return found;
}

const kept_answer* store::answer_under(const caller& who) const {
  const auto at = answers_.find(key_of(who));
  return at == answers_.end() ? nullptr : &at->second;
}

caller store::owner_of(const json::object& object) {
  caller who;
  who.account = object.at("_account").as_string().c_str();
  who.live = object.at("livemode").as_bool();
  if (const auto* version = object.if_contains("_version")) who.version = version->as_string().c_str();
  return who;
}

void store::commit(const json::object& line) {
  write_whole(descriptor_, json::serialize(line) + '\n');
  if (synced_ && ::fdatasync(descriptor_) != 0) throw std::system_error{errno, std::generic_category(), "the ledger"};
  apply(line);
}

void store::apply(const json::object& line) {
  for (const auto& each : line.at("objects").as_array()) {
    const auto& object = each.as_object();
    auto& of = kinds_[object.at("object").as_string().c_str()];
    const std::string id = object.at("id").as_string().c_str();
    if (of.by_id.insert_or_assign(id, object).second) of.order.push_back(id);
  }
  for (const auto& event : line.at("events").as_array()) events_.push_back(event.as_object());
  if (const auto* kept = line.if_contains("answer")) {
    const auto& of = kept->as_object();
    caller who;
    who.account = line.at("account").as_string().c_str();
    who.live = line.at("livemode").as_bool();
    who.idempotency_key = line.at("idempotency_key").as_string().c_str();
    answers_[key_of(who)] = {of.at("fingerprint").as_string().c_str(), of.at("request_id").as_string().c_str(),
                             static_cast<int>(of.at("status").as_int64()), of.at("body").as_string().c_str()};
  }
  if (line.at("kind").as_string().empty()) return;
  auto effect = line;
  for (const auto* name : {"objects", "events", "answer"}) effect.erase(name);
  effects_.push_back(std::move(effect));
}

}  // namespace gateway::stripe_stand_in
