#include "encode_event.hpp"

#include "json_writer.hpp"

namespace gateway::http {
namespace {

class json_event_encoder final : public event_encoder {
 public:
  std::string envelope(const event_record& event, destination_kind to,
                       const entity_id& merchants_entity) const override {
    std::string out;
    out.reserve(256 + event.data.size());
    {
      json_object body{out};
      body.text("id", event.id);
      body.text("type", type_told_to(to, event.type));
      body.text("created", format_millis(event.created));
      {
        json_object merchant{body.member("merchant")};
        merchant.text("id", event.subject.merchant.value);
        merchant.text("entity_id", merchants_entity.value);
      }
      body.member("data") += event.data.view();
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<event_encoder> make_event_encoder() { return std::make_unique<json_event_encoder>(); }

}  // namespace gateway::http
