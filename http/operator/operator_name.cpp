#include "operator_name.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace gateway::http {
namespace {

constexpr std::string_view unknown_operator = "operator";
constexpr std::size_t most_user_name = 64;

}  // namespace

std::string operator_name(const request& in) {
  if (!in.console_operator.empty()) return std::string{in.console_operator};
  if (!in.peer_uid) return std::string{unknown_operator};
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4'096> texts{};
  if (::getpwuid_r(*in.peer_uid, &entry, texts.data(), texts.size(), &found) != 0 || !found)
    return std::string{unknown_operator};
  const std::string_view name{found->pw_name};
  const bool shown = !name.empty() && name.size() <= most_user_name &&
                     std::ranges::all_of(name, [](char each) { return each > ' ' && each < 0x7f; });
  return std::string{shown ? name : unknown_operator};
}

}  // namespace gateway::http
