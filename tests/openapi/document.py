"""Look-ups in docs/openapi.json: operations by request, schemas by reference. For Debian's python3-jsonschema."""
import copy
import json
import pathlib

from jsonschema import Draft202012Validator, RefResolver

PATH = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "openapi.json"
EVENTS = PATH.parent / "events"
# Pages of the portal and of the documentation are for people; tests/http/unit_openapi.cpp leaves out the same ones.
ELSEWHERE = ("/portal", "/docs", "/openapi.json")
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


def closed(schemas):
    """The same schemas without additional properties: each property of an answer must be described."""
    def close(part):
        if isinstance(part, list):
            for each in part:
                close(each)
        elif isinstance(part, dict):
            for each in part.values():
                close(each)
            if isinstance(part.get("properties"), dict) and "additionalProperties" not in part and "$ref" not in part:
                part["unevaluatedProperties"] = False
    schemas = copy.deepcopy(schemas)
    for schema in schemas.values():
        close(schema)
    return schemas


class Document:
    def __init__(self, path=PATH):
        self.whole = json.loads(pathlib.Path(path).read_text())
        strict = {**self.whole, "components": {**self.whole["components"]}}
        strict["components"]["schemas"] = closed(self.whole["components"]["schemas"])
        self.open, self.strict = RefResolver("", self.whole), RefResolver("", strict)
        # The path with the fewest variables first, because it is the more exact one.
        self.paths = sorted(self.whole["paths"], key=lambda path: path.count("{"))

    def resolve(self, part):
        while "$ref" in part:
            part = self.open.resolve(part["$ref"])[1]
        return part

    def template_of(self, path):
        """The documented path that this path matches; None if there is none."""
        asked = path.split("/")
        for template in self.paths:
            parts = template.split("/")
            if len(parts) == len(asked) and all(
                    each == part or (part.startswith("{") and each) for part, each in zip(parts, asked)):
                return template
        return None

    def operations(self):
        for path, item in self.whole["paths"].items():
            for method in METHODS:
                if method in item:
                    yield f"{method.upper()} {path}", item[method]

    def parameters(self, operation, where):
        found = [self.resolve(each) for each in operation.get("parameters", ())]
        return [each for each in found if each["in"] == where]

    def faults(self, schema, value, strict=False):
        """A message for each way in which the value violates the schema."""
        validator = Draft202012Validator(schema, resolver=self.strict if strict else self.open)
        return [f"{'/'.join(map(str, each.absolute_path)) or '(all of it)'}: {each.message[:300]}"
                for each in validator.iter_errors(value)]


def from_text(schema, text):
    """The value of a header or of a query parameter, converted to the schema's type."""
    if schema.get("type") == "integer":
        try:
            return int(text)
        except ValueError:
            return text
    return text
