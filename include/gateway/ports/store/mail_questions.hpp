// Questions about mails and the links in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/ports/store/mail_rows.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

/// The pending mails that are due and leased to no node, the longest due first.
struct find_due_mail {
  using answer = struct mail_lookup;
  static constexpr auto reader = store_reader_kind::quick;

  time_point now{};
  std::uint32_t limit = 16;
};

/// For operators: newest first, or the one with this id.
struct find_mail {
  using answer = struct mail_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  std::string id{};
  std::optional<mail_status> status{};
  std::optional<time_point> before{};  ///< only earlier ones, or of that time with a smaller id, to page on
  std::string before_id{};
  std::uint32_t limit = 50;
};

struct mail_lookup {
  std::vector<queued_mail> mails;
};

/// The person whose password a link replaces.
struct find_password_link {
  using answer = struct password_link_lookup;
  static constexpr auto reader = store_reader_kind::quick;

  std::string hash;
};

struct found_password_link {
  user_id user;
  std::string email;
  time_point expires{};
};

struct password_link_lookup {
  std::optional<found_password_link> found;
};

}  // namespace gateway
