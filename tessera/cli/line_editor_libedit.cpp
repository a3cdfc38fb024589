#include <histedit.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cwchar>
#include <string>
#include <system_error>

#include "tessera/cli/interrupt.h"
#include "tessera/cli/line_editor.h"
#include "tessera/cli/line_input.h"

namespace tessera::cli {
namespace {

constexpr int kHistoryLines = 1000;

}  // namespace

struct LineEditor::State {
  std::filesystem::path history_file;
  std::string prompt;
  EditLine* editor = nullptr;
  History* history = nullptr;
  Input last = Input::byte;

  static State& of(EditLine* editor) {
    void* state = nullptr;
    el_get(editor, EL_CLIENTDATA, &state);
    return *static_cast<State*>(state);
  }

  static char* prompt_of(EditLine* editor) { return of(editor).prompt.data(); }

  /// libedit's own reader does not return on a signal.
  static int read_character(EditLine* editor, wchar_t* out) {
    State& state = of(editor);
    std::mbstate_t partial{};
    while (true) {
      char byte = 0;
      state.last = read_byte(byte);
      if (state.last == Input::end) return 0;
      if (state.last == Input::interrupted) {
        errno = EINTR;
        return -1;
      }
      const std::size_t used = std::mbrtowc(out, &byte, 1, &partial);
      if (used == static_cast<std::size_t>(-2)) continue;
      if (used == static_cast<std::size_t>(-1)) {  // not text in this locale
        partial = {};
        *out = L'?';
      }
      return 1;
    }
  }

  void open() {
    editor = el_init("tessera", stdin, stdout, stderr);
    history = history_init();
    if (editor == nullptr || history == nullptr) return;
    el_set(editor, EL_CLIENTDATA, this);
    el_set(editor, EL_PROMPT, &State::prompt_of);
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_SIGNAL, 0);
    el_set(editor, EL_GETCFN, &State::read_character);
    el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    HistEvent event{};
    ::history(history, &event, H_SETSIZE, kHistoryLines);
    ::history(history, &event, H_SETUNIQUE, 1);
    el_set(editor, EL_HIST, &::history, history);
    if (!history_file.empty()) ::history(history, &event, H_LOAD, history_file.c_str());
  }

  void remember(const char* line) const {
    HistEvent event{};
    ::history(history, &event, H_ENTER, line);
    if (history_file.empty()) return;
    std::error_code ignored;
    std::filesystem::create_directories(history_file.parent_path(), ignored);
    const mode_t mask = ::umask(0077);  // what a user asks a model is nobody else's business
    ::history(history, &event, H_SAVE, history_file.c_str());
    ::umask(mask);
  }
};

LineEditor::LineEditor(std::filesystem::path history) {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1) return;
  state_ = std::make_unique<State>();
  state_->history_file = std::move(history);
  state_->open();
}

LineEditor::~LineEditor() {
  if (!state_) return;
  if (state_->history != nullptr) history_end(state_->history);
  if (state_->editor != nullptr) el_end(state_->editor);
}

Line LineEditor::read(const std::string& prompt) {
  if (!state_ || state_->editor == nullptr || state_->history == nullptr) return read_plain_line();
  state_->prompt = prompt;
  // el_gets() shows the prompt before it takes the terminal over. What is typed in between the
  // kernel would echo a second time, and a Ctrl-D among it would be lost.
  int edits = 0;  // off on a terminal that edits by itself
  el_get(state_->editor, EL_EDITMODE, &edits);
  if (edits != 0) el_set(state_->editor, EL_PREP_TERM, 1);
  int count = 0;
  const char* text = el_gets(state_->editor, &count);
  if (text == nullptr || count <= 0) {
    const bool stopped = state_->last == Input::interrupted;
    return {"", stopped ? LineEnd::interrupted : LineEnd::end_of_input};
  }
  std::string line(text, static_cast<std::size_t>(count));
  if (line.ends_with('\n')) line.pop_back();
  if (line.find_first_not_of(" \t") != std::string::npos) state_->remember(line.c_str());
  return {std::move(line), LineEnd::entered};
}

}  // namespace tessera::cli
