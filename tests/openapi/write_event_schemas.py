#!/usr/bin/python3
"""Writes the schemas of docs/events/ into docs/openapi.json: the data and the envelope of each event type under
components/schemas, and its webhook. Run it after a change in docs/events/; tests/http/unit_event_types.cpp compares.

The rest of the document keeps its bytes: parts are cut out and put in as text.
"""
import json
import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"
WIDTH = 120
ANSWERS = {
    "2XX": {"description": "You have stored the event: it is not sent again."},
    "410": {"description": "You want no more events. Three in a row, over a minute or more, disable the endpoint."},
    "default": {"description": "The event is sent again, later each time; `Retry-After` (at most 12 hours) asks for more time."},
}
HEADERS = ("ServiceDelivery", "DeliverySignature", "StandardWebhookId", "StandardWebhookTimestamp",
           "StandardWebhookSignature")


def dump(value, indent=0, before=0):
    """JSON in which a value is on one line if it fits. `before`: the length of the name before the value."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or indent + before + len(line) < WIDTH and indent > 0:
        return line
    inner, outer = " " * (indent + 2), " " * indent
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + dump(each, indent + 2) for each in value) + f"\n{outer}]"
    members = []
    for name, each in value.items():
        name = json.dumps(name) + ": "
        members.append(inner + name + dump(each, indent + 2, len(name)))
    return "{\n" + ",\n".join(members) + f"\n{outer}}}"


def class_name(event_type):
    """`payment.refund_failed` is `PaymentRefundFailed`."""
    return "".join(part.capitalize() for part in re.split(r"[._]", event_type))


def envelope_of(event_type):
    return {
        "type": "object",
        "required": ["id", "type", "created", "merchant", "data"],
        "properties": {
            "id": {"type": "string", "description": "The same for all of your endpoints and in every attempt.",
                   "examples": ["evt_1"]},
            "type": {"type": "string", "const": event_type},
            "created": {"type": "string", "format": "date-time",
                        "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$", "description": "UTC."},
            "merchant": {"$ref": "#/components/schemas/EventMerchant"},
            "data": {"$ref": f"#/components/schemas/{class_name(event_type)}Data"},
        },
    }


MERCHANT = {
    "type": "object",
    "required": ["id", "entity_id"],
    "properties": {"id": {"type": "string", "examples": ["merch_3fa85f64c1b2"]},
                   "entity_id": {"type": "string", "examples": ["ent_77aa0310"]}},
    "description": "Whose event it is.",
}


def webhook_of(event_type, schema):
    example = {"id": "evt_91b2", "type": event_type, "created": "2026-11-21T10:00:00.125Z",
               "merchant": {"id": "merch_3fa85f64c1b2", "entity_id": "ent_77aa0310"}, "data": schema["examples"][0]}
    return {"post": {
        "operationId": "on" + class_name(event_type),
        "tags": ["Webhooks"],
        "summary": schema["description"].split(".", 1)[0].replace("`", ""),
        "description": schema["description"],
        "security": [],
        "parameters": [{"$ref": f"#/components/parameters/{each}"} for each in HEADERS],
        "requestBody": {"required": True, "content": {"application/json": {
            "schema": {"$ref": f"#/components/schemas/{class_name(event_type)}Event"},
            "examples": {"event": {"value": example}}}}},
        "responses": ANSWERS,
    }}


def span_of(text, name, indent, begin=0):
    """Where the member `name` stands that begins a line at this indentation, its line end included."""
    at = text.index(f'\n{" " * indent}"{name}": {{', begin) + 1
    line_end = text.index("\n", at)
    if text[at:line_end].rstrip(",").endswith("}"):
        return at, line_end + 1
    end = text.index(f'\n{" " * indent}}}', at) + 1
    return at, text.index("\n", end) + 1


def main():
    schemas = {file.stem: json.loads(file.read_text()) for file in sorted((DOCS / "events").glob("*.json"))}
    path = DOCS / "openapi.json"
    text = path.read_text()
    begin, end = span_of(text, "webhooks", 2)
    webhooks = {event_type: webhook_of(event_type, schema) for event_type, schema in schemas.items()}
    text = text[:begin] + '  "webhooks": ' + dump(webhooks, 2) + ",\n" + text[end:]

    # The parts of events are the last ones of the schemas.
    known = json.loads(text)["components"]["schemas"]
    added = {"EventMerchant": MERCHANT}
    for event_type, schema in schemas.items():
        added[class_name(event_type) + "Data"] = schema
        added[class_name(event_type) + "Event"] = envelope_of(event_type)
    components = text.index('\n  "components": {')
    begin, end = span_of(text, "schemas", 4, components)
    part = text[begin:end]
    for name in known:
        if name in added:
            first, last = span_of(part, name, 6)
            part = part[:first] + part[last:]
    first_end = part.rindex("\n    }")
    kept = part[:first_end].rstrip().rstrip(",")
    members = ",\n".join(f'      "{name}": ' + dump(each, 6, len(name) + 4) for name, each in added.items())
    text = text[:begin] + kept + ",\n" + members + part[first_end:] + text[end:]
    json.loads(text)
    path.write_text(text)


main()
