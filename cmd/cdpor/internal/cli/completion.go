package cli

import (
	"strings"

	"github.com/alecthomas/kong"
)

// AllFlags are the flags that can stand behind a command: its own and those of all.
func (m *Model) AllFlags(n *kong.Node) []*kong.Flag {
	flags := CommandFlags(m.Node)
	if n != m.Node {
		flags = append(flags, CommandFlags(n)...)
	}
	return flags
}

// FlagNames are the ways to write a flag.
func FlagNames(f *kong.Flag) []string {
	if f.Short != 0 {
		return []string{"-" + string(f.Short), "--" + f.Name}
	}
	return []string{"--" + f.Name}
}

// summary is the first sentence of a help text, without what shells take for quotes.
func summary(help string) string {
	if i := strings.Index(help, ". "); i >= 0 {
		help = help[:i]
	}
	return strings.NewReplacer("'", "’", "`", "", `\`, "").Replace(strings.TrimSuffix(help, "."))
}

// A completion is what may stand as a value.
type completion struct {
	words        []string
	files, dirs  bool
	commaBetween bool // several words, with commas in between
}

// completionOf is what may stand as the value of a flag or as an argument. An enum tells by itself, a tag complete
// names a list, and the name in the usage line tells files and folders.
func (m *Model) completionOf(v *kong.Value) (c completion) {
	if list := m.Lists[v.Tag.Get("complete")]; list != nil {
		c.words = list()
	}
	for _, word := range v.EnumSlice() {
		if word != "" {
			c.words = append(c.words, word)
		}
	}
	name := v.Name
	if v.Flag != nil {
		name = v.Flag.PlaceHolder
		c.commaBetween = v.IsSlice() && v.Tag.Sep != -1
	}
	switch name, _, _ = strings.Cut(strings.ToLower(name), "."); name {
	case "file", "program", "path", "old", "new":
		c.files = true
	case "dir":
		c.dirs = true
	}
	return c
}
