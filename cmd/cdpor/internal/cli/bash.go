package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Bash works with any bash: it needs neither the package bash-completion nor an associative array.
func Bash(m *Model) string {
	var b strings.Builder
	b.WriteString(`# Completion of cdpor for bash, made by: cdpor completion bash
_cdpor_words() { COMPREPLY+=($(compgen -W "$1" -- "$cur")); }
_cdpor_list() { # words with commas in between
  local before=
  if [[ $cur == *,* ]]; then before=${cur%,*},; fi
  COMPREPLY+=($(compgen -P "$before" -W "$1" -- "${cur##*,}"))
}
_cdpor_paths() { # -f files, -d folders
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen "$1" -- "$cur"))
}
_cdpor() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= i
  COMPREPLY=()
  # A = is a word of its own for bash.
  if [[ $cur == "=" ]]; then
    cur=
  elif [[ $prev == "=" ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${COMP_WORDS[i]}" in
`)
	var walk func(n *kong.Node, visit func(*kong.Node))
	walk = func(n *kong.Node, visit func(*kong.Node)) {
		for _, c := range n.Children {
			visit(c)
			walk(c, visit)
		}
	}
	parent := func(n *kong.Node) string {
		if n.Parent.Type == kong.ApplicationNode {
			return ""
		}
		return CommandName(n.Parent)
	}
	walk(m.Node, func(n *kong.Node) {
		fmt.Fprintf(&b, "      %q) command=%q ;;\n", parent(n)+" "+n.Name, CommandName(n))
	})
	b.WriteString("    esac\n  done\n  case \"$command:$prev\" in\n")
	for _, n := range append([]*kong.Node{m.Node}, Commands(m.Node)...) {
		name := ""
		if n != m.Node {
			name = CommandName(n)
		}
		for _, f := range m.AllFlags(n) {
			if f.IsBool() {
				continue
			}
			var patterns []string
			for _, spelling := range FlagNames(f) {
				patterns = append(patterns, fmt.Sprintf("%q", name+":"+spelling))
			}
			fmt.Fprintf(&b, "    %s) %sreturn ;;\n", strings.Join(patterns, "|"), bashValues(m.completionOf(f.Value)))
		}
	}
	b.WriteString("  esac\n  case \"$command:$cur\" in\n")
	visit := func(n *kong.Node, name string) {
		var flags []string
		for _, f := range m.AllFlags(n) {
			flags = append(flags, FlagNames(f)...)
		}
		fmt.Fprintf(&b, "    %q*) _cdpor_words %q ;;\n", name+":-", strings.Join(flags, " "))
		fmt.Fprintf(&b, "    %q*) ", name+":")
		var words []string
		for _, c := range n.Children {
			words = append(words, c.Name)
		}
		if len(words) > 0 {
			fmt.Fprintf(&b, "_cdpor_words %q; ", strings.Join(words, " "))
		}
		for _, p := range n.Positional {
			b.WriteString(bashValues(m.completionOf(p)))
		}
		b.WriteString(";;\n")
	}
	visit(m.Node, "")
	walk(m.Node, func(n *kong.Node) { visit(n, CommandName(n)) })
	b.WriteString("  esac\n}\ncomplete -F _cdpor cdpor\n")
	return b.String()
}

func bashValues(c completion) string {
	text := ""
	if len(c.words) > 0 {
		helper := "_cdpor_words"
		if c.commaBetween {
			helper = "_cdpor_list"
		}
		text = fmt.Sprintf("%s %q; ", helper, strings.Join(c.words, " "))
	}
	if c.files {
		text += "_cdpor_paths -f; "
	} else if c.dirs {
		text += "_cdpor_paths -d; "
	}
	return text
}
