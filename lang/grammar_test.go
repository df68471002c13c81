package lang

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
)

// A grammarRule is as much of a rule of a TextMate grammar as is looked at here.
type grammarRule struct{ Name, Match, Begin string }

func readGrammar(t *testing.T) map[string]grammarRule {
	var grammar struct{ Repository map[string]grammarRule }
	if err := json.Unmarshal(read(t, "editor/cdpor.tmLanguage.json"), &grammar); err != nil {
		t.Fatal(err)
	}
	return grammar.Repository
}

// TestGrammarWords: the TextMate grammar knows the words that the parser and the tables know, and no others.
func TestGrammarWords(t *testing.T) {
	rules := readGrammar(t)
	colours := map[string]string{}
	for _, rule := range []string{"declaration", "constant", "self", "control", "synchronisation", "type", "builtin"} {
		pattern := rules[rule].Match
		words, ok := strings.CutPrefix(pattern, `\b`)
		words, ok2 := strings.CutSuffix(words, `\b`)
		if !ok || !ok2 || rules[rule].Name == "" {
			t.Fatalf("the rule %s is %+v", rule, rules[rule])
		}
		for word := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(words, "(?:"), ")"), "|") {
			if colours[word] != "" {
				t.Errorf("%s is in the rules %s and %s", word, colours[word], rule)
			}
			if colours[word] = rule; regexp.MustCompile(pattern).FindString("x."+word+" y") != word {
				t.Errorf("%s is not matched by the rule %s", word, rule)
			}
		}
	}
	known := parserWords(t)
	for _, w := range slices.Concat(syntax.PlainTypes, slices.Collect(maps.Keys(syntax.TypeWords)), check.Builtins,
		check.EffectCalls) {
		known[w] = true
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(known)), slices.Sorted(maps.Keys(colours))); diff != "" {
		t.Errorf("words of the language (-) and of the grammar (+):\n%s", diff)
	}
}

// TestGrammarOperators: an operator is one token for the grammar, too.
func TestGrammarOperators(t *testing.T) {
	pattern := regexp.MustCompile(readGrammar(t)["operator"].Match)
	for _, op := range append(slices.Clone(syntax.Operators), ";") {
		if got := pattern.FindString(op); got != op {
			t.Errorf("%s is taken for %q", op, got)
		}
	}
}

// TestGrammarSections: code is looked for in the sections whose values the schema calls code.
func TestGrammarSections(t *testing.T) {
	var want []string
	for key, of := range schemaAt(t, "/properties").(map[string]any) {
		text, err := json.Marshal(of)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"thread", "main", "class"} {
			if strings.Contains(string(text), `"#/definitions/`+part+`"`) {
				want = append(want, key)
			}
		}
		if strings.Contains(string(text), `The body`) {
			want = append(want, key)
		}
	}
	sections := regexp.MustCompile(`^\^\(([a-z|]+)\)`).FindStringSubmatch(readGrammar(t)["section"].Begin)
	if sections == nil {
		t.Fatal("the rule section does not begin with names of sections")
	}
	got := strings.Split(sections[1], "|")
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sections with code (-), of the grammar (+):\n%s", diff)
	}
}
