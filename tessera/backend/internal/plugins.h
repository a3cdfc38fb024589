// What registry and modules tell each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/backend/plugin.h"
#include "tessera/backend/registry.h"

namespace tessera {

/// Loads the modules that may hold backend `name`.
void load_plugins_for(std::string_view name);

/// The candidates that are no use, of those tried so far.
std::vector<PluginCandidate> refused_plugins();

/// errors  not_found when TESSERA_PLUGIN_PATH names what is not there
void check_plugin_path();

/// Registers a backend unless the name is taken; returns whether it did.
bool register_new_backend(const std::string& name, BackendFactory factory);

}  // namespace tessera
