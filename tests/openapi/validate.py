#!/usr/bin/python3
"""Compares the exchanges of the end-to-end tests with the gateway with docs/openapi.json.

    validate.py FOLDER   each *.jsonl in it has one exchange a line (tests/end_to_end/harness/exchange_record.hpp)

First it checks the document itself: its examples, its references, its codes. Then each exchange: the status, the headers,
the media type and the body of the answer; and the request, if the gateway accepted it (2xx). Requests that tests make wrong
on purpose are not checked. An answer is an error if the document does not describe it, down to each property.

Each *.webhooks in FOLDER has one webhook a line that the tests received. Its body must be what the document says under
`webhooks` for its type, and its data what docs/events/ says, down to each property.
"""
import collections
import json
import pathlib
import sys
from urllib.parse import parse_qsl, urlsplit

from document import ELSEWHERE, EVENTS, METHODS, Document, closed, from_text

# Headers of the connection, not of the operation.
OF_THE_CONNECTION = {"content-type", "content-length", "transfer-encoding", "connection", "date"}
# Answers of the listener that do not depend on the request's operation.
BY_THE_LISTENER = {400, 408, 413, 431, 500, 503}
MOST_SHOWN = 40


# ---- the document against itself -----------------------------------------------------------------

def references_in(part):
    if isinstance(part, list):
        for each in part:
            yield from references_in(each)
    elif isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for each in part.values():
            yield from references_in(each)


def media_in(part, at="#"):
    """Each object that has a schema and examples beside it: of bodies, headers and parameters."""
    if isinstance(part, list):
        for index, each in enumerate(part):
            yield from media_in(each, f"{at}/{index}")
    elif isinstance(part, dict):
        if "schema" in part and ("example" in part or "examples" in part):
            yield at, part
        for name, each in part.items():
            if name not in ("example", "examples"):
                yield from media_in(each, f"{at}/{name}")


def codes_of_media(document, media):
    """The error codes of an answer: those that `x-error-codes` lists, and those that its schemas fix."""
    return set(media.get("x-error-codes", ())) | codes_in(document, media["schema"])


def codes_in(document, schema):
    """The error codes that a schema allows: an enum or a const at `error`, or at `error.code`."""
    found = set()
    for each in schema.get("anyOf", [schema]):
        error = each.get("properties", {}).get("error", {})
        if not ({"enum", "const"} & error.keys()):
            error = error.get("properties", {}).get("code", {})
        if {"enum", "const"} & error.keys():
            found |= set(error.get("enum", [error.get("const")]))
        elif "$ref" in each:
            found |= codes_in(document, document.resolve(each))
    return found


def code_of(body):
    error = body.get("error")
    if isinstance(error, dict):
        return None if "category" in error else error.get("code")
    return error


def faults_of_document(document):
    used = set(references_in(document.whole))
    for ref in used:
        try:
            document.open.resolve(ref)
        except Exception as why:  # pylint: disable=broad-except
            yield f"{ref}: {why}"
    # The headers of deprecated operations are unused while there are none; NotFound and MethodNotAllowed belong to no
    # operation.
    spare = {"#/components/headers/Deprecation", "#/components/headers/Sunset", "#/components/headers/Link",
             "#/components/responses/NotFound", "#/components/responses/MethodNotAllowed"}
    for kind, parts in document.whole["components"].items():
        for name in parts:
            ref = f"#/components/{kind}/{name}"
            if kind != "securitySchemes" and ref not in used | spare:
                yield f"{ref}: nothing uses it"
    names = collections.Counter(operation["operationId"] for _, operation in document.operations())
    yield from (f"operationId {name} stands twice" for name, count in names.items() if count > 1)
    tags = {each["name"] for each in document.whole["tags"]}
    for name, operation in document.operations():
        if not set(operation["tags"]) <= tags:
            yield f"{name}: a tag that is not described"
    for at, media in media_in(document.whole):
        examples = media.get("examples", {})
        values = [document.resolve(each)["value"] for each in examples.values()] if examples else [media["example"]]
        for value in values:
            for fault in document.faults(media["schema"], value, strict="/responses/" in at):
                yield f"{at}: an example is not what its schema says: {fault}"
        allowed = codes_of_media(document, media) if "/responses/" in at else set()
        shown = {code_of(value) for value in values if isinstance(value, dict)}
        if allowed - shown:
            yield f"{at}: codes without an example: {sorted(allowed - shown)}"
        if "x-error-codes" in media and shown - allowed - {None}:
            yield f"{at}: examples of codes that it does not list: {sorted(shown - allowed - {None})}"
    yield from faults_of_names(document)


def objects_in(part, at="#"):
    """Each object of the document but its examples, with its place."""
    if isinstance(part, list):
        for index, each in enumerate(part):
            yield from objects_in(each, f"{at}/{index}")
    elif isinstance(part, dict):
        yield at, part
        for name, each in part.items():
            if name not in ("example", "examples", "value"):
                yield from objects_in(each, f"{at}/{name}")


def faults_of_names(document):
    """What is allowed by OpenAPI 3.1, and makes generators of clients fail."""
    components = document.whole["components"]
    for name in components["parameters"].keys() & components["schemas"].keys():
        yield f"{name} is a parameter and a schema: generated code has one type of this name"
    constants = collections.Counter()
    for name, schema in components["schemas"].items():
        if "enum" in schema:
            if len(schema.get("x-enum-varnames", ())) != len(schema["enum"]):
                yield f"{name}: an enum without a name for each value (x-enum-varnames)"
            constants.update(schema.get("x-enum-varnames", ()))
    yield from (f"{name} names the values of two enums" for name, count in constants.items() if count > 1)
    for at, each in objects_in(document.whole):
        if isinstance(each.get("$ref"), str) and len(each) > 1:
            yield f"{at}: a $ref beside other members, which generators refuse"
        if "enum" in each and None in each["enum"] and "default" in each:
            yield f"{at}: an enum with null and a default makes Go that does not compile"
        if each.get("type") == "boolean" and ("const" in each or "enum" in each):
            yield f"{at}: a boolean of one value makes Java that does not compile"
        if each.get("in") == "header" and each.get("schema", {}).get("format") == "uuid":
            yield f"{at}: a header of format uuid, which openapi-python-client's client cannot send"
        form = each.get("application/x-www-form-urlencoded", {}).get("schema", {})
        if "additionalProperties" in document.resolve(form):
            yield f"{at}: a form with additionalProperties, which openapi-generator refuses"
    tags_of = {part: {tag for item in document.whole[part].values() for method in METHODS for tag in item.get(method, {}).get("tags", ())}
               for part in ("paths", "webhooks")}
    for tag in tags_of["paths"] & tags_of["webhooks"]:
        yield f"{tag} is a tag of paths and of webhooks: openapi-generator writes both into one file, and loses the paths"


# ---- exchanges -----------------------------------------------------------------------------------

def faults_of_headers(document, described, headers):
    known = {name.lower(): document.resolve(each) for name, each in described.items()}
    sent = {name.lower() for name, _ in headers}
    for name, header in known.items():
        if header.get("required") and name not in sent:
            yield f"the header {name} is missing"
    for name, value in headers:
        name = name.lower()
        if name in known:
            schema = known[name]["schema"]
            for fault in document.faults(schema, from_text(schema, value)):
                yield f"the header {name}: {fault}"
        elif name not in OF_THE_CONNECTION:
            yield f"the header {name} is not described"


def faults_of_answer(document, answer, exchange, deprecated=False):
    described = document.resolve(answer)
    headers = described.get("headers", {})
    if deprecated:  # each answer of a deprecated operation has the headers, also errors
        shared = document.whole["components"]["headers"]
        headers = {**headers, **{name: shared[name] for name in ("Deprecation", "Sunset", "Link")}}
        if not any(name.lower() == "deprecation" for name, _ in exchange["headers"]):
            yield "the header deprecation is missing"
    yield from faults_of_headers(document, headers, exchange["headers"])
    content = described.get("content")
    if exchange["method"] == "HEAD" or not content:
        if exchange["answer"]:
            yield "a body where none is described"
        return
    media_type = next((value for name, value in exchange["headers"] if name.lower() == "content-type"), "")
    media_type = media_type.split(";")[0].strip()
    if media_type not in content:
        yield f"the media type {media_type!r}, where {sorted(content)} are described"
        return
    value = exchange["answer"]
    if media_type == "application/json":
        try:
            value = json.loads(value)
        except ValueError as why:
            yield f"no JSON: {why}"
            return
    yield from document.faults(content[media_type]["schema"], value, strict=True)
    code = code_of(value) if isinstance(value, dict) else None
    if code and "x-error-codes" in content[media_type] and code not in codes_of_media(document, content[media_type]):
        yield f"the error code {code!r} is not listed"


def faults_of_request(document, operation, exchange):
    """The faults of a request that the gateway has accepted."""
    headers = {name.lower(): value for name, value in exchange["sent"]}
    query = dict(parse_qsl(urlsplit(exchange["target"]).query, keep_blank_values=True))
    for where, values in (("header", headers), ("query", query)):
        for parameter in document.parameters(operation, where):
            name = parameter["name"].lower() if where == "header" else parameter["name"]
            if name == "environment" and not headers.get("x-service-key-id", "").startswith("mk_platform_"):
                continue  # a merchant's key has one environment, and the field is ignored
            if name not in values:
                if parameter["required"]:
                    yield f"taken without the {where} {parameter['name']}"
                continue
            for fault in document.faults(parameter["schema"], from_text(parameter["schema"], values[name])):
                yield f"the {where} {parameter['name']} of a request that was taken: {fault}"
    body = operation.get("requestBody")
    if body is None or not exchange["body"]:
        if exchange["body"]:
            yield "a body was taken where none is described"
        if body and body.get("required"):
            yield "taken without a body"
        return
    described = body["content"].get("application/json")
    if described and "json" in headers.get("content-type", ""):
        for fault in document.faults(described["schema"], json.loads(exchange["body"])):
            yield f"the body of a request that was taken: {fault}"


def faults_of_exchange(document, exchange, seen):
    status, path = exchange["status"], urlsplit(exchange["target"]).path
    if path.startswith(ELSEWHERE):
        return
    template = document.template_of(path)
    item = document.whole["paths"].get(template, {})
    operation = item.get(exchange["method"].lower())
    shared = document.whole["components"]["responses"]
    if operation:
        answer = operation["responses"].get(str(status))
        seen[f"{exchange['method']} {template}"].add(status)
    else:
        answer = shared["MethodNotAllowed"] if template and status == 405 else shared["NotFound"] if status == 404 else None
        if not answer and status in BY_THE_LISTENER:
            return
    if answer is None:
        yield f"the status {status} is not described"
        return
    yield from faults_of_answer(document, answer, exchange, bool(operation and operation.get("deprecated")))
    if operation and 200 <= status < 300:
        yield from faults_of_request(document, operation, exchange)


# ---- webhooks ------------------------------------------------------------------------------------

def event_schemas():
    """By type, without additional properties: each field that is sent must be described."""
    return closed({file.stem: json.loads(file.read_text()) for file in EVENTS.glob("*.json")})


def faults_of_webhook(document, schemas, webhook, seen):
    try:
        event = json.loads(webhook["body"])
        event_type, data = event["type"], event["data"]
    except (ValueError, KeyError, TypeError) as why:
        yield f"no event: {why!r}"
        return
    if event_type not in schemas:
        yield f"{event_type}: docs/events/ has no such type"
        return
    seen[event_type] += 1
    for fault in document.faults(schemas[event_type], data):
        yield f"{event_type}: data: {fault}"
    webhooks = document.whole["webhooks"]
    if event_type not in webhooks:
        yield f"{event_type}: docs/openapi.json has no such webhook"
        return
    operation = webhooks[event_type]["post"]
    for fault in document.faults(operation["requestBody"]["content"]["application/json"]["schema"], event, strict=True):
        yield f"{event_type}: {fault}"
    headers = {name.lower(): value for name, value in webhook["headers"]}
    for parameter in document.parameters(operation, "header"):
        name = parameter["name"].lower()
        if name in headers:
            for fault in document.faults(parameter["schema"], headers[name]):
                yield f"{event_type}: the header {name}: {fault}"
        elif parameter["required"]:
            yield f"{event_type}: the header {name} is missing"


def lines_of(folder, pattern):
    for file in sorted(pathlib.Path(folder).glob(pattern)):
        # Tests also send bytes that are not UTF-8.
        for line in file.read_text(encoding="utf-8", errors="surrogateescape").split("\n"):
            if line.endswith("}"):  # else a test was killed during a write
                yield json.loads(line)


def main():
    document = Document()
    faults = collections.Counter(faults_of_document(document))
    seen, count = collections.defaultdict(set), 0
    for exchange in lines_of(sys.argv[1], "*.jsonl"):
        count += 1
        for fault in faults_of_exchange(document, exchange, seen):
            faults[f"{exchange['method']} {urlsplit(exchange['target']).path} {exchange['status']}: {fault}"] += 1
    schemas, received = event_schemas(), collections.Counter()
    for webhook in lines_of(sys.argv[1], "*.webhooks"):
        faults.update(faults_of_webhook(document, schemas, webhook, received))
    for fault, times in faults.most_common(MOST_SHOWN):
        print(f"{times} x {fault}")
    whole = [name for name, _ in document.operations()]
    print(f"{count} exchanges, {len(seen)} of {len(whole)} operations; {sum(faults.values())} faults")
    for name in whole:
        print(f"  {name}: {', '.join(map(str, sorted(seen[name]))) or 'not asked'}")
    print(f"{sum(received.values())} webhooks")
    for event_type in sorted(schemas):
        print(f"  {event_type}: {received[event_type] or 'not received'}")
    return 1 if faults else 0


sys.exit(main())
