package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Zsh has a function for each command that has others below it.
func Zsh(m *Model) string {
	var b strings.Builder
	b.WriteString("#compdef cdpor\n# Completion of cdpor for zsh, made by: cdpor completion zsh\n")
	var group func(n *kong.Node, function string)
	group = func(n *kong.Node, function string) {
		fmt.Fprintf(&b, "%s() {\n  local context state state_descr line\n  typeset -A opt_args\n  _arguments -C \\\n",
			function)
		for _, f := range m.AllFlags(n) {
			fmt.Fprintf(&b, "    %s \\\n", m.zshFlag(f))
		}
		b.WriteString("    '1: :->command' '*:: :->rest' && return\n  case $state in\n    command)\n" +
			"      local -a commands=(\n")
		for _, c := range n.Children {
			fmt.Fprintf(&b, "        '%s:%s'\n", c.Name, zshText(c.Help))
		}
		b.WriteString("      )\n      _describe -t commands command commands ;;\n    rest)\n      case $words[1] in\n")
		for _, c := range n.Children {
			if !c.Leaf() {
				fmt.Fprintf(&b, "        %s) %s_%s ;;\n", c.Name, function, c.Name)
				continue
			}
			fmt.Fprintf(&b, "        %s) _arguments", c.Name)
			for _, f := range m.AllFlags(c) {
				fmt.Fprintf(&b, " \\\n          %s", m.zshFlag(f))
			}
			for i, p := range c.Positional {
				position := fmt.Sprint(i + 1)
				if p.IsCumulative() {
					position = "*"
				}
				fmt.Fprintf(&b, " \\\n          '%s:%s:%s'", position, p.Name, zshValues(m.completionOf(p)))
			}
			b.WriteString(" ;;\n")
		}
		b.WriteString("      esac ;;\n  esac\n}\n")
		for _, c := range n.Children {
			if !c.Leaf() {
				group(c, function+"_"+c.Name)
			}
		}
	}
	group(m.Node, "_cdpor")
	b.WriteString("if [[ $funcstack[1] == _cdpor ]]; then _cdpor \"$@\"; else compdef _cdpor cdpor; fi\n")
	return b.String()
}

// zshFlag is a flag as _arguments wants it.
func (m *Model) zshFlag(f *kong.Flag) string {
	help, value, again := "["+zshText(f.Help)+"]", "", ""
	if f.IsCumulative() {
		again = "*"
	}
	if !f.IsBool() {
		value = ":" + f.PlaceHolder + ":" + zshValues(m.completionOf(f.Value))
	}
	name := "--" + f.Name
	if value != "" {
		name += "="
	}
	switch {
	case f.Short == 0:
		return "'" + again + name + help + value + "'"
	case again != "":
		return fmt.Sprintf("'*'{-%c+,%s}'%s%s'", f.Short, name, help, value)
	case value != "":
		return fmt.Sprintf("'(-%c --%s)'{-%c+,%s}'%s%s'", f.Short, f.Name, f.Short, name, help, value)
	}
	return fmt.Sprintf("'(-%c --%s)'{-%c,%s}'%s'", f.Short, f.Name, f.Short, name, help)
}

func zshText(help string) string {
	return strings.NewReplacer("[", "(", "]", ")", ":", "").Replace(summary(help))
}

func zshValues(c completion) string {
	switch words := strings.Join(c.words, " "); {
	case c.commaBetween && words != "":
		return "_sequence compadd - " + words
	case words != "" && (c.files || c.dirs):
		return "_alternative \"words:word:(" + words + ")\" \"files:file:_files\""
	case words != "":
		return "(" + words + ")"
	case c.files:
		return "_files"
	case c.dirs:
		return "_files -/"
	}
	return " " // something must follow, nobody knows what
}
