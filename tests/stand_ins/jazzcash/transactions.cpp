#include "transactions.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fstream>
#include <stdexcept>

namespace gateway::jazzcash_stand_in {

namespace json = boost::json;

transactions::transactions(std::string ledger) {
  std::ifstream before{ledger};
  for (std::string line; std::getline(before, line);) apply(line);
  file_ = ::open(ledger.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
  if (file_ < 0) throw std::runtime_error{"cannot open " + ledger};
}

transactions::~transactions() { ::close(file_); }

const transaction* transactions::find(const std::string& ref) const {
  const auto at = all_.find(ref);
  return at == all_.end() ? nullptr : &at->second;
}

void transactions::open(const std::string& ref, const fields& form) {
  json::object kept;
  for (const auto& [name, value] : form) kept[name] = value;
  write(json::serialize(json::object{{"kind", "opened"}, {"ref", ref}, {"form", kept}}));
}

void transactions::end(const std::string& ref, const std::string& code) {
  const auto number = pakistan_time(now()) + std::to_string(all_.size());
  write(json::serialize(json::object{{"kind", code == "121"   ? "paid"
                                              : code == "122" ? "reversed"
                                              : code == "157" ? "left"
                                                              : "failed"},
                                     {"ref", ref},
                                     {"code", code},
                                     {"number", number},
                                     {"amount", value_of(all_.at(ref).form, "pp_Amount")}}));
}

bool transactions::reverse(const std::string& ref) {
  const auto* one = find(ref);
  if (!one || one->code != "121") return false;
  end(ref, "122");
  return true;
}

void transactions::write(const std::string& line) {
  const auto whole = line + '\n';
  if (::write(file_, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size()) || ::fdatasync(file_) != 0)
    throw std::runtime_error{"the ledger cannot be written"};
  apply(line);
}

void transactions::apply(const std::string& line) {
  json::error_code failed;
  const auto value = json::parse(line, failed);
  if (failed) return;  // cut short by a kill: it was not answered
  const auto& what = value.as_object();
  const auto text = [&](const char* name) { return std::string{what.at(name).as_string()}; };
  auto& one = all_[text("ref")];
  if (text("kind") == "opened") {
    for (const auto& [name, member] : what.at("form").as_object()) one.form[name] = member.as_string();
  } else {
    one.code = text("code");
    one.number = text("number");
  }
}

}  // namespace gateway::jazzcash_stand_in
