#include "tessera/models/load.h"

#include "tessera/backend/registry.h"
#include "tessera/core/internal/fail.h"
#include "tessera/io/hub.h"
#include "tessera/models/registry.h"

namespace tessera {

namespace {

namespace fs = std::filesystem;

// A token's text for the chat template; empty when the file names none.
std::string text_of(const Tokenizer& tokenizer, const std::optional<std::int32_t>& id) {
  return id ? tokenizer.token_text(*id).value_or("") : "";
}

TemplateTokens template_tokens(const Tokenizer& tokenizer) {
  const SpecialTokens& special = tokenizer.special_tokens();
  return {text_of(tokenizer, special.bos), text_of(tokenizer, special.eos),
          text_of(tokenizer, special.pad), text_of(tokenizer, special.unk)};
}

void touch_pages(const array& a) {
  constexpr std::size_t kPage = 4096;
  const HostTensor& host = a.to_host();
  unsigned sum = 0;
  for (std::size_t i = 0; i < host.nbytes(); i += kPage) {
    sum += std::to_integer<unsigned>(host.data()[i]);
  }
  [[maybe_unused]] volatile unsigned sink = sum;  // the reads must happen
}

// Reads every weight's pages once, reporting as it goes.
void warm_up(const LanguageModel& model, const LoadOptions& options) {
  std::uint64_t total = 0;
  model.for_each_parameter("",
                           [&](const std::string&, const nn::Weight& w) { total += w.nbytes(); });
  std::uint64_t done = 0;
  model.for_each_parameter("", [&](const std::string&, const nn::Weight& w) {
    touch_pages(w.data);
    if (w.groups) touch_pages(w.groups->scales);
    if (w.groups && w.groups->biases) touch_pages(*w.groups->biases);
    done += w.nbytes();
    if (options.progress) options.progress({"load", done, total, "bytes"});
  });
}

void load_gguf_model(LoadedModel& out, const models::ModelOptions& model_options) {
  const auto file = std::make_shared<GgufFile>(load_gguf(out.path));
  for (const auto& [name, tensor] : file->tensors) out.file_bytes += tensor.nbytes;
  out.model = models::load_language_model(file, out.backend, model_options);
  if (!file->get_string("tokenizer.ggml.model")) return;
  out.tokenizer = tokenizer_from_gguf(*file);
  if (const auto source = file->get_string("tokenizer.chat_template")) {
    out.chat_template.emplace(*source, template_tokens(*out.tokenizer));
  }
}

void load_folder(LoadedModel& out, const models::ModelOptions& model_options) {
  for (const auto& entry : fs::directory_iterator(out.path)) {
    if (entry.path().extension() == ".safetensors") out.file_bytes += entry.file_size();
  }
  out.model = models::load_language_model(out.path, out.backend, model_options);
  const auto has = [&](const char* name) { return fs::exists(out.path / name); };
  if (has("tokenizer.json") || has("tokenizer.model") || has("tekken.json")) {
    out.tokenizer = load_tokenizer(out.path);
  }
  try {
    out.chat_template = ChatTemplate::from_folder(out.path);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::not_found) throw;  // base models have no template
  }
}

// A hub folder that holds nothing but one GGUF file is that file.
fs::path only_gguf(const fs::path& folder) {
  std::optional<fs::path> found;
  if (fs::exists(folder / "config.json")) return folder;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".gguf") continue;
    if (found) {
      fail(ErrorCode::invalid_argument, folder.string(),
           "holds several .gguf files; name one of them, for example {}", entry.path().string());
    }
    found = entry.path();
  }
  return found.value_or(folder);
}

}  // namespace

LoadedModel load(const std::string& name_or_path, const LoadOptions& options) {
  LoadedModel out;
  out.path = resolve_model(name_or_path);
  if (fs::is_directory(out.path)) out.path = only_gguf(out.path);
  out.backend = options.backend ? options.backend : shared_backend(options.backend_name);
  out.dtype = options.dtype.value_or(out.backend->default_dtype());
  if (!is_floating(out.dtype)) {
    fail(ErrorCode::unsupported_dtype, "load", "activations must be floating, not {}",
         to_string(out.dtype));
  }
  const BackendScope scope(out.backend);
  const models::ModelOptions model_options{out.dtype, options.compute};
  if (fs::is_directory(out.path)) {
    load_folder(out, model_options);
  } else {
    load_gguf_model(out, model_options);
  }
  out.model->eval();
  if (options.warm) warm_up(*out.model, options);
  return out;
}

}  // namespace tessera
