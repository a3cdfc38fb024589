// Backends in modules: shared objects that are found and loaded at run time.
//
//   TESSERA_PLUGIN_PATH=/opt/mine/tessera-mine.so ./program     // then make_backend("mine")
//   load_plugin("/opt/mine/tessera-mine.so");                   // the same from code
//
// Where modules are looked for, first match wins: the files and folders of TESSERA_PLUGIN_PATH,
// separated by ':'; then beside the program or libtessera: lib/tessera/, ../lib/tessera/ (with
// other words, the installed module folder) and tessera/. In a folder a module is a file
// tessera-NAME.so with the backend's name, and it is opened only when that backend is asked for or
// all are listed. A module is never unloaded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

/// Loads a module and registers its backend. Safe from any thread; loading a file again is free.
/// returns the backend's name, for make_backend()
/// errors  not_found when there is no such file; bad_format, naming the file, when it is no module,
///         was built for another Tessera, op table or standard library (both are named), or has the
///         name of a backend that is there already
std::string load_plugin(const std::filesystem::path& file);

/// A file that was looked at, or that somebody named, and what became of it.
struct PluginCandidate {
  std::filesystem::path path;
  std::string origin;   ///< "TESSERA_PLUGIN_PATH", "beside the program", "load_plugin"
  std::string backend;  ///< its name; empty when the file did not get to say it
  bool loaded = false;
  std::string fate;  ///< "loaded", or the reason why not
};

/// Every candidate in the order of the search, each tried by now. Also names what
/// TESSERA_PLUGIN_PATH names but is not there.
std::vector<PluginCandidate> plugin_candidates();

}  // namespace tessera
