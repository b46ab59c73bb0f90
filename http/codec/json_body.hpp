// Strict reading of a request's JSON: anything that contract and schema do not allow is rejected with the field's name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <simdjson.h>

#include "decoded.hpp"

namespace gateway::http {

/// Parses a body that must be one object: UTF-8, nothing after it, at most `depth` levels, no duplicate name at any
/// level. A number that does not fit 64 bits passes here, as a value that no field accepts. The result lives in this
/// thread's parser: valid until the thread parses the next body.
decoded<simdjson::dom::object> parse_object(std::string_view body, std::size_t depth);
/// The same object, duplicate names included; nothing if the body is no JSON object.
std::optional<simdjson::dom::object> parse_leniently(std::string_view body, std::size_t depth);

/// A name that the caller chose, cut to whole characters of at most 64 bytes.
std::string_view shown(std::string_view name) noexcept;

/// A fault of a body, and where its field stands there.
struct body_fault {
  error_code code = error_code::invalid_request;
  std::string name;  ///< empty if no field is named
  std::string message;  ///< empty: the code's own
  std::size_t at = missing;

  static constexpr std::size_t missing = static_cast<std::size_t>(-1);
};

inline constexpr std::size_t most_free_text_bytes = 64 * 1024;

class field_reader;

/// A reader of the body. Duplicate names are among its faults; a body that is no JSON object is rejected here. `known`
/// as in the reader's constructor.
decoded<field_reader> parse_fields(std::string_view body, std::size_t depth,
                                   std::span<const std::string_view> known = {});

/// Reads members one by one and notes at most one fault for each. A null member counts as absent.
class field_reader {
 public:
  explicit field_reader(const simdjson::dom::object& object) : object_(object) {}
  /// For a body that docs/openapi.json describes. `known` names all of its members (body_fields.hpp) and outlives the
  /// reader. Reading a present member that is not in `known` throws std::logic_error.
  field_reader(const simdjson::dom::object& object, std::span<const std::string_view> known)
      : object_(object), known_(known) {}
  field_reader(const simdjson::dom::object& object, std::span<const std::string_view> known,
               std::vector<body_fault> faults)
      : object_(object), known_(known), faults_(std::move(faults)) {}

  bool has(std::string_view name) const { return find(name).has_value(); }
  /// For callers that distinguish null from absent; all other functions treat them alike.
  bool is_null(std::string_view name) const;
  /// Empty if absent. `most` counts characters, not bytes.
  std::string text(std::string_view name, std::size_t most);
  /// The unchecked string; empty if it is no string. For callers that compare it, and have their own message for other
  /// values.
  std::string_view word(std::string_view name) const;
  /// Free text by people, empty if absent: limited only by `most_free_text_bytes`.
  std::string free_text(std::string_view name);
  std::string required_text(std::string_view name, std::size_t most);
  /// Nothing if absent.
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most);
  /// `otherwise` if absent.
  bool boolean(std::string_view name, bool otherwise);
  /// A map of free texts; nothing if absent.
  std::vector<std::pair<std::string, std::string>> free_text_map(std::string_view name);
  std::vector<std::string> text_list(std::string_view name, std::size_t most_items, std::size_t most);

  /// `field: what` under code invalid_request, unless the field has a fault already.
  void reject(std::string_view field, std::string_view what);
  /// The same with a whole message; empty for the code's own.
  void reject(error_code code, std::string_view field, std::string message);
  /// A fault that belongs to no field alone.
  void reject(error_code code, std::string message) { reject(code, {}, std::move(message)); }

  /// Whether the field has a fault, so that what depends on its value cannot be checked.
  bool is_rejected(std::string_view field) const noexcept;
  bool ok() const noexcept { return faults_.empty(); }
  /// All faults, in the order in which the body names the fields; those that it lacks come last. Only if not ok().
  rejection take_rejection();

  /// Whether the body may have members besides the known ones. Once all of them have been read, the answer is exact.
  bool may_have_others() const noexcept;
  const simdjson::dom::object& object() const noexcept { return object_; }

 private:
  /// The member's value, null included.
  std::optional<simdjson::dom::element> member(std::string_view name) const;
  /// Notes that the object has the member. It must be among the known ones.
  void note(std::string_view name) const;
  std::optional<simdjson::dom::element> find(std::string_view name) const;
  /// Nothing if the member is absent or wrong.
  std::optional<std::string_view> find_text(std::string_view name);
  bool check_text(std::string_view field, std::string_view value, std::size_t most);
  bool check_free_text(std::string_view field, std::string_view value);
  bool check_no_nul(std::string_view field, std::string_view value);

  simdjson::dom::object object_;
  std::span<const std::string_view> known_;  ///< empty: any name
  mutable std::uint64_t found_ = 0;  ///< one bit for each known member that was read and is there
  std::vector<body_fault> faults_;
};

}  // namespace gateway::http
