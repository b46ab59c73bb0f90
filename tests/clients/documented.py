"""docs/openapi.json as the tests of the client libraries need it: its signed operations, each with example calls and answers."""
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = json.loads((ROOT / "docs/openapi.json").read_text())

# The libraries call each operation by its operationId; these have the same name whatever the document calls them.
EVENT_OPERATIONS = {("GET", "/v1/events"): "listEvents", ("GET", "/v1/events/{event_id}"): "getEvent",
                    ("GET", "/v1/event_types"): "listEventTypes"}
# Operations whose answer is a list, which the libraries return entry by entry.
LISTS = {"listPayments": "payments", "listDisputes": "disputes", "listCustomers": "customers",
         "listSubscriptions": "subscriptions", "listEvents": "events", "listEventTypes": "event_types"}


def resolved(holder):
    while "$ref" in holder:
        found = DOCUMENT
        for part in holder["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        holder = found
    return holder


def examples_of(holder):
    content = resolved(holder).get("content", {}).get("application/json", {})
    values = [resolved(each)["value"] for each in content.get("examples", {}).values()]
    return values + ([content["example"]] if "example" in content else [])


def signed_operations():
    """(method, path, operation) of what the libraries call; the operations of events also before the document has them."""
    found = {}
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            if isinstance(operation, dict) and any("ServiceSignature" in each for each in operation.get("security", [])):
                found[method.upper(), path] = operation
    for method, path in EVENT_OPERATIONS:
        found.setdefault((method, path), DOCUMENT["paths"].get(path, {}).get(method.lower(), {"responses": {"200": {}}}))
    return [(method, path, operation) for (method, path), operation in found.items()]


def example_events():
    """An event of each kind, as the document's webhooks have them."""
    found = []
    for item in DOCUMENT.get("webhooks", {}).values():
        for operation in resolved(item).values():
            if isinstance(operation, dict) and "requestBody" in operation:
                found += examples_of(operation["requestBody"])
    return found


def answers_of(name, operation):
    """(status, body) of each documented success."""
    answers = [(int(status), body) for status, answer in operation["responses"].items() if status.startswith("2")
               for body in examples_of(answer) or [None]]
    if answers != [(200, None)]:
        return answers
    events = example_events()
    return {"listEvents": [(200, {"events": events, "next": "c1"})], "getEvent": [(200, each) for each in events],
            "listEventTypes": [(200, {"event_types": [{"type": "payment.captured", "schema": {"type": "object"}}]})]}[name]


def call_of(name, path, operation):
    """A step of a scenario that calls the operation with the document's examples."""
    step = {"do": name, "path": []}
    for parameter in (resolved(each) for each in operation.get("parameters", [])):
        if parameter["in"] == "path":
            step["path"].append(str(parameter.get("example", "id_1")))
        elif parameter["in"] == "query" and parameter.get("required"):
            step["path"].append(str(parameter.get("example", "id_1")))
    step["path"] = step["path"] or ["id_1"] * path.count("{")
    bodies = examples_of(operation.get("requestBody", {}))
    if bodies:
        step["body"] = bodies[0]
    return step


def scenario():
    """Each operation once for each documented answer, which the library's models must keep in full."""
    steps, rules, called = [], [], []
    for method, path, operation in signed_operations():
        name = EVENT_OPERATIONS.get((method, path), operation.get("operationId"))
        for status, body in answers_of(name, operation):
            step = call_of(name, path, operation)
            member = LISTS.get(name)
            if member and name != "listEventTypes":
                # Only the first page, of a list that may have more.
                step["take"] = max(1, len(body[member]))
            if isinstance(body, dict) and "payment_id" in body:
                if "{payment_id}" in path:
                    step["path"] = [body["payment_id"]]
                elif "body" in step:
                    step["body"] = {**step["body"], "payment_id": body["payment_id"]}
            step["whole"] = body[member] if member else body
            steps.append(step)
            rules.append({"do": "answer", "status": status, "body": body})
            called.append({"method": method, "path": path, "body": step.get("body"), "ids": step["path"]})
    return {"name": "each operation of docs/openapi.json is called as documented, and its answers come through the models whole",
            "steps": steps, "rules": rules, "called": called}
