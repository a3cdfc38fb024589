// Where a model folder keeps its chat templates.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tessera/text/chat_template.h"

namespace tessera {

struct NamedTemplate {
  std::string name;
  std::string source;
};

struct TemplateFiles {
  std::vector<NamedTemplate> templates;  ///< at least one
  TemplateTokens tokens;
};

/// errors  not_found without a template, io, bad_format for a tokenizer_config.json that is no JSON
TemplateFiles read_template_files(const std::filesystem::path& folder);

}  // namespace tessera
