#include <algorithm>
#include <map>
#include <memory>

#include "tessera/cli/commands.h"
#include "tessera/cli/inspect_file.h"
#include "tessera/cli/output.h"
#include "tessera/io/hub.h"

namespace tessera::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kInspectExamples = R"(Examples:
  tessera inspect model.gguf
  tessera inspect model.safetensors --tensors
  tessera inspect model-folder --metadata
  tessera inspect model.gguf --json)";

constexpr std::size_t kLongestText = 60;  // characters of a value, unless --metadata asks for all
constexpr std::size_t kMostElements = 6;

struct Inspect {
  std::string file;
  bool tensors = false;
  bool metadata = false;
  bool json = false;
  void run() const;
};

struct Sum {
  std::size_t tensors = 0;
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;

  void add(const InspectedTensor& tensor) {
    ++tensors;
    elements += static_cast<std::uint64_t>(num_elements(tensor.shape));
    bytes += tensor.bytes;
  }
};

/// Cut after `limit` bytes, not inside a character.
std::string shortened(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return text.substr(0, limit) + "...";
}

std::string dump(const Json& value) {
  // Files hold single precision, whose shortest form has fewer digits.
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    const auto single = static_cast<float>(number);
    if (static_cast<double>(single) == number) return fmt::format("{}", single);
  }
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A value in one line; in full or abbreviated.
std::string text_of(const Json& value, bool in_full) {
  if (in_full) return dump(value);
  if (value.is_array() && value.size() > kMostElements) {
    std::string text = "[";
    for (std::size_t i = 0; i < kMostElements; ++i) {
      text += shortened(dump(value[i]), kLongestText / kMostElements) + ", ";
    }
    return text + fmt::format("...] ({} elements)", value.size());
  }
  return shortened(dump(value), kLongestText);
}

Json json_of(const InspectedFile& file, const Sum& all) {
  Json tensors = Json::array();
  for (const InspectedTensor& tensor : file.tensors) {
    const std::vector<std::int64_t> shape(tensor.shape.begin(), tensor.shape.end());
    tensors.push_back(
        {{"name", tensor.name}, {"type", tensor.type}, {"shape", shape}, {"bytes", tensor.bytes}});
  }
  return {{"path", file.path.string()}, {"format", file.format},     {"parameters", all.elements},
          {"tensor_bytes", all.bytes},  {"metadata", file.metadata}, {"tensors", tensors}};
}

void print_types(const std::map<std::string, Sum>& types, const Sum& all) {
  emit("{:<12}{:>8}{:>16}{:>10}\n", "type", "tensors", "parameters", "size");
  const auto row = [](const std::string& name, const Sum& sum) {
    emit("{:<12}{:>8}{:>16}{:>10}\n", name, sum.tensors, sum.elements, human_bytes(sum.bytes));
  };
  for (const auto& [type, sum] : types) row(type, sum);
  if (types.size() > 1) row("all", all);
}

void print_metadata(const Json& metadata, bool in_full) {
  emit("\nmetadata\n");
  for (const auto& [key, value] : metadata.items()) {
    emit("  {} = {}\n", printable(key), printable(text_of(value, in_full)));
  }
}

void print_tensors(const std::vector<InspectedTensor>& tensors) {
  std::size_t name = 0;
  std::size_t shape = 0;
  for (const InspectedTensor& tensor : tensors) {
    name = std::max(name, printable(tensor.name).size());
    shape = std::max(shape, to_string(tensor.shape).size());
  }
  emit("\ntensors\n");
  for (const InspectedTensor& tensor : tensors) {
    emit("  {:<{}}  {:<{}}  {:<9}{:>10}\n", printable(tensor.name), name, to_string(tensor.shape),
         shape, tensor.type, human_bytes(tensor.bytes));
  }
}

void Inspect::run() const {
  const InspectedFile inspected = inspect_file(resolve_model(file));
  Sum all;
  std::map<std::string, Sum> types;
  for (const InspectedTensor& tensor : inspected.tensors) {
    all.add(tensor);
    types[tensor.type].add(tensor);
  }
  if (json) return put_json(json_of(inspected, all));
  emit("{}\n{}, {} tensors, {} parameters, {}\n\n", printable(inspected.path.string()),
       inspected.format, all.tensors, all.elements, human_bytes(all.bytes));
  print_types(types, all);
  if (!inspected.metadata.empty()) print_metadata(inspected.metadata, metadata);
  if (tensors) print_tensors(inspected.tensors);
}

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("inspect", "What a model file holds: tensors, types, sizes, metadata");
  command->footer(kInspectExamples);
  const auto inspect = std::make_shared<Inspect>();
  command
      ->add_option("FILE", inspect->file,
                   "A .gguf or .safetensors file, a model folder, or a name in the cache")
      ->required();
  command->add_flag("--tensors", inspect->tensors, "List every tensor");
  command->add_flag("--metadata", inspect->metadata, "Metadata values in full");
  command->add_flag("--json", inspect->json, "One JSON object with everything");
  command->callback([inspect] { inspect->run(); });
}

}  // namespace tessera::cli
