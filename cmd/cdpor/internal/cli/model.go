package cli

import (
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// A Model is a command line with all its commands and flags.
type Model struct {
	*kong.Application
	// Lists are the words that a tag predictor of a flag or an argument names.
	Lists map[string]func() []string
}

// wordsOf are the words that may stand as the value of a flag: those of an enum, or of the list that a tag names.
func (m *Model) wordsOf(v *kong.Value) (words []string) {
	if list := m.Lists[v.Tag.Get("predictor")]; list != nil {
		words = list()
	}
	for _, word := range v.EnumSlice() {
		if word != "" {
			words = append(words, word)
		}
	}
	return words
}

// Commands are the commands that do something, not those that only have others below them.
func Commands(n *kong.Node) (list []*kong.Node) {
	for _, c := range n.Children {
		if c.Leaf() {
			list = append(list, c)
		} else {
			list = append(list, Commands(c)...)
		}
	}
	return list
}

// CommandName is the words of a command, without cdpor.
func CommandName(n *kong.Node) string {
	if n.Parent == nil || n.Parent.Type == kong.ApplicationNode {
		return n.Name
	}
	return CommandName(n.Parent) + " " + n.Name
}

// CommandFlags are the flags of a command's own.
func CommandFlags(n *kong.Node) (flags []*kong.Flag) {
	for _, f := range n.Flags {
		if !f.Hidden {
			flags = append(flags, f)
		}
	}
	return flags
}

// rewordings replace phrases of kong about values by those that people read.
var rewordings = []struct {
	kong *regexp.Regexp
	text string
}{
	{regexp.MustCompile(`expected "<key>=<value>" but got (".*")`), "$1 is no NAME=N: write one such as goroutines=2"},
	{regexp.MustCompile(`expected a valid \d+ bit (?:int|uint|float) but got (".*")`), "$1 is no whole number"},
	{regexp.MustCompile(`invalid map value (".*")`), "$1 is no whole number"},
	{regexp.MustCompile(`must be one of (?:"",)?(.*) but got (".*")`), "$2 is none of $1"},
}

// Reworded is an error of kong in plain words.
func Reworded(text string) string {
	for _, r := range rewordings {
		text = r.kong.ReplaceAllString(text, r.text)
	}
	return strings.ReplaceAll(text, `","`, `", "`)
}
