package lang

import (
	"slices"
	"testing"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
)

// TestVocabulary: what an editor offers are the words that the parser knows.
func TestVocabulary(t *testing.T) {
	words, offered := parserWords(t), map[string]bool{}
	for _, w := range Vocabulary() {
		offered[w.Name] = true
		if !words[w.Name] && !syntax.IsTypeWord(w.Name) && !slices.Contains(check.Builtins, w.Name) {
			t.Errorf("%s is no word of the language", w.Name)
		}
	}
	for word := range words {
		if !offered[word] && syntax.PlainName(word) && !contextual[word] && syntax.ForeignWords[word] == "" {
			t.Errorf("%s is not offered", word)
		}
	}
	if list := Sections(); len(list) < 10 ||
		!slices.ContainsFunc(list, func(w Word) bool { return w.Name == "threads" && w.Type != "" }) {
		t.Errorf("the sections are %v", list)
	}
}

// contextual are words that mean something inside of a statement or a type only.
var contextual = map[string]bool{"spurious": true}
