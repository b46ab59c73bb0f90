#include "encode_event.hpp"

#include <algorithm>
#include <string_view>

#include "json_writer.hpp"

namespace gateway::http {
namespace {

/// An event's data without the fields that only the platform that made the payment may see. The payment encoder writes
/// them last. The search finds only keys, because quotation marks within JSON texts are escaped.
std::string_view without_private_fields(std::string_view data) {
  auto end = data.size();
  for (const std::string_view name : {R"(,"customer_ref":)", R"(,"payment_method_id":)", R"(,"metadata":)"})
    end = std::min(end, data.find(name));
  return data.substr(0, end);
}

class json_event_encoder final : public event_encoder {
 public:
  std::string envelope(const event_record& event, destination_kind to, const entity_id& merchants_entity,
                       bool partial) const override {
    std::string out;
    out.reserve(256 + event.data.size());
    {
      json_object body{out};
      body.text("id", event.id);
      body.text("type", type_for(to, event.type));
      body.text("created", format_millis(event.created));
      {
        json_object merchant{body.member("merchant")};
        merchant.text("id", event.subject.merchant.value);
        merchant.text("entity_id", merchants_entity.value);
      }
      auto& data = body.member("data");
      const auto shown = partial ? without_private_fields(event.data.view()) : event.data.view();
      data += shown;
      if (shown.size() < event.data.view().size()) data += '}';
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<event_encoder> make_event_encoder() { return std::make_unique<json_event_encoder>(); }

}  // namespace gateway::http
