#include "config/schema.h"

#include "config/keys.h"

#include <nlohmann/json.hpp>

namespace deepperf::config {

namespace {

using nlohmann::ordered_json;

ordered_json string_schema() {
  ordered_json schema;
  schema["type"] = "string";
  return schema;
}

ordered_json schema_of(Word word) {
  // What pip allows, one range or several.
  constexpr std::string_view kVersions =
      "^ *(===?|>=|<=|!=|~=|>|<) *[0-9][^,]*(, *(===?|>=|<=|!=|~=|>|<) *[0-9][^,]*)*$";
  ordered_json schema = string_schema();
  switch (word) {
  case Word::Flag:
    schema["type"] = "boolean";
    break;
  case Word::Rule: { // the list is there for completion; prefixes of codes count too, and case does not
    ordered_json listed;
    listed["enum"] = choices(word);
    ordered_json prefix;
    prefix["pattern"] = "^[Dd][Pp][0-9]{0,3}$";
    schema["anyOf"] = ordered_json::array({std::move(listed), std::move(prefix)});
    break;
  }
  case Word::Versions:
    schema["pattern"] = kVersions;
    break;
  case Word::DottedName:
    schema["pattern"] = R"(^[^.\s]+(\.[^.\s]+)*$)";
    break;
  case Word::Pattern:
    schema["minLength"] = 1;
    break;
  case Word::Text:
    break;
  default:
    schema["enum"] = choices(word);
  }
  return schema;
}

ordered_json list_of(Word word) {
  ordered_json schema;
  schema["type"] = "array";
  schema["items"] = schema_of(word);
  return schema;
}

ordered_json schema_of(const Key &key) {
  ordered_json schema;
  switch (key.form) {
  case Form::One:
    return schema_of(key.word);
  case Form::List:
    return list_of(key.word);
  case Form::Table:
  case Form::TableOfLists:
    schema["type"] = "object";
    schema["propertyNames"] = schema_of(key.entry);
    schema["additionalProperties"] = key.form == Form::Table ? schema_of(key.word) : list_of(key.word);
  }
  return schema;
}

} // namespace

nlohmann::ordered_json schema() {
  ordered_json properties = ordered_json::object();
  for (const Key &key : all_keys()) {
    ordered_json property;
    property["description"] = std::string(key.description) + " Default: " + std::string(key.by_default) + ".";
    property.update(schema_of(key));
    properties[std::string(key.name)] = std::move(property);
  }
  // Editors for TOML know this draft best.
  return {{"$schema", "http://json-schema.org/draft-07/schema#"},
          {"title", "deepperf"},
          {"description", "Configuration of deepperf: deepperf.toml, or the table [tool.deepperf] of pyproject.toml."},
          {"type", "object"},
          {"properties", std::move(properties)},
          {"additionalProperties", false}};
}

} // namespace deepperf::config
