// Searches of operators. Each reads a limited number of rows, and its answer states where the search continues.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/domain/webhook.hpp"
#include "gateway/ports/store/directory_rows.hpp"
#include "gateway/ports/store/entity_rows.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

/// How many rows of merchants or people one answer compares with the searched text.
inline constexpr std::uint32_t most_compared = 20'000;

/// A position after this merchant.
struct merchant_position {
  time_point created_at{};
  merchant_id merchant;

  bool operator==(const merchant_position&) const = default;
};

/// Merchants, newest first, at most `limit`.
struct find_merchants {
  using answer = struct merchants_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  std::string search{};  ///< a part of the name or of the owner's address, compared without case; empty: all
  std::string entity{};  ///< not empty: also the merchant with this entity
  std::optional<merchant_position> after{};  ///< only merchants behind it, to page on
  std::uint32_t limit = 50;
  std::uint32_t compared = most_compared;  ///< most rows that are read
};

struct merchants_lookup {
  std::vector<save_merchant> merchants;
  std::optional<merchant_position> next;  ///< where the search continues; nullopt after the last merchant
};

/// People whose address contains a text, compared without case, by their ids, at most `limit`.
struct find_people {
  using answer = struct people_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  std::string search;
  user_id after{};  ///< only people behind it, to page on
  std::uint32_t limit = 50;
  std::uint32_t compared = most_compared;  ///< most rows that are read
};

struct found_person {
  user_id id;
  std::string email;
  std::vector<merchant_id> of;  ///< the merchants that the person is a member of, by their ids

  bool operator==(const found_person&) const = default;
};

struct people_lookup {
  std::vector<found_person> people;
  std::optional<user_id> next;  ///< where the search continues; nullopt after the last person
};

/// The payments of all merchants that have this id, this reference at their provider, or a dispute with this id. Takes
/// six look-ups in indexes for each merchant.
struct find_payments_everywhere {
  using answer = struct payments_everywhere_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  std::string text;
  merchant_id after{};  ///< only payments of merchants behind it, to page on
  std::uint32_t merchants = 2'000;  ///< most merchants whose payments are searched
  std::uint32_t limit = 50;         ///< for each of the three kinds of matches
};

struct payments_everywhere_lookup {
  std::vector<payment_ptr> payments;  ///< each once
  std::optional<merchant_id> next;    ///< where the search continues; nullopt after the last merchant
};

/// The events with this id.
struct find_events_by_id {
  using answer = struct events_by_id_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  std::string event_id;
  std::uint32_t limit = 50;
};

struct events_by_id_lookup {
  std::vector<event_record> events;
};

/// The writes of one HTTP request that were begun in this span of time. Reads every command of that span.
struct find_requests {
  using answer = struct requests_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  std::string request_id;
  time_point from{}, until{};
  std::uint32_t limit = 50;
};

/// A write and its subject.
struct found_request {
  merchant_id merchant;  ///< empty: a platform's own write
  environment env = environment::test;
  std::string operation;
  std::string subject_kind;  ///< as in command_record
  std::string subject_id;
  time_point begun_at{};

  bool operator==(const found_request&) const = default;
};

struct requests_lookup {
  std::vector<found_request> requests;
};

}  // namespace gateway
