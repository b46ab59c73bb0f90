// The names of all enumerations: each value is read as it is written.
#include <catch2/catch.hpp>

#include <set>

#include "gateway/domain/authorize_request.hpp"
#include "gateway/domain/daily_total.hpp"
#include "gateway/domain/node.hpp"
#include "gateway/domain/notification.hpp"
#include "gateway/domain/on_behalf.hpp"
#include "gateway/domain/person.hpp"
#include "gateway/domain/sandbox_biller.hpp"

using namespace gateway;

namespace {

template <class Enum>
void check_names() {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < enum_count<Enum>; ++i) {
    const auto value = static_cast<Enum>(i);
    const auto name = to_string(value);
    CAPTURE(name);
    CHECK(parse_name<Enum>(name) == value);
    CHECK_FALSE(parse_name<Enum>(name.substr(1)));
    names.insert(name);
  }
  CHECK(names.size() == enum_count<Enum>);
  CHECK_FALSE(parse_name<Enum>(""));
  CHECK_FALSE(parse_name<Enum>("Active"));
}

enum class light : unsigned char { red, amber, green };

}  // namespace

template <>
inline constexpr auto gateway::enum_table<light> =
    enum_names<light>({{light::red, "stop"}, {light::amber, "wait"}, {light::green, "go"}});

TEST_CASE("each value of an enumeration has a name of its own, and is read by it") {
  check_names<light>();
  check_names<attempt_result>();
  check_names<authorize_error>();
  check_names<billing_interval>();
  check_names<connection_status>();
  check_names<cycle_result>();
  check_names<daily_counter>();
  check_names<delivery_status>();
  check_names<destination_kind>();
  check_names<destination_status>();
  check_names<entity_kind>();
  check_names<environment>();
  check_names<error_category>();
  check_names<event_type>();
  check_names<flow>();
  check_names<grant_state>();
  check_names<invited_by>();
  check_names<ledger_kind>();
  check_names<member_role>();
  check_names<merchant_kind>();
  check_names<node_status>();
  check_names<notification_kind>();
  check_names<notification_state>();
  check_names<operation>();
  check_names<payment_method_kind>();
  check_names<payment_state>();
  check_names<platform_status>();
  check_names<provider_kind>();
  check_names<provider_status>();
  check_names<sandbox_move>();
  check_names<subscription_operation>();
  check_names<subscription_status>();
}

TEST_CASE("names may differ from those of the values") {
  CHECK(to_string(operation::void_payment) == "void");
  CHECK(to_string(invited_by::operators) == "operator");
  CHECK(to_string(sandbox_move::remove) == "delete");
  CHECK(to_string(light::green) == "go");
  static_assert(parse_name<light>("wait") == light::amber);
}
