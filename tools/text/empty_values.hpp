#pragma once
// Options with an empty value.

#include <string>
#include <utility>
#include <vector>

namespace ringside::tool {

// The words of a command line, with "--name=" as two words: "--name" and an empty one. CLI11 would
// take the next word as the value. Words after "--" stay as they are.
class EmptyValues {
 public:
  EmptyValues(int argc, char** argv) {
    bool has_options = true;
    for (int i = 0; i < argc; ++i) {
      std::string word(argv[i]);
      has_options = has_options && word != "--";
      const bool is_empty_value = has_options && word.size() > 3 && word.starts_with("--") &&
                                  word.find('=') == word.size() - 1;
      if (is_empty_value) word.pop_back();
      texts_.push_back(std::move(word));
      if (is_empty_value) texts_.emplace_back();
    }
    for (std::string& text : texts_) words_.push_back(text.data());
    words_.push_back(nullptr);
  }

  int count() const { return static_cast<int>(texts_.size()); }
  char** words() { return words_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> words_;
};

}  // namespace ringside::tool
