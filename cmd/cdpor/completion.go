package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

func (completionCommand) Help() string {
	return `The script has all it needs inside: commands, flags, names of algorithms, columns, codes and examples; files it leaves to the shell.

bash: source <(cdpor completion bash), in ~/.bashrc.

zsh: source <(cdpor completion zsh), in ~/.zshrc after compinit; or as a file _cdpor in a folder of $fpath.

fish: cdpor completion fish > ~/.config/fish/completions/cdpor.fish`
}

func (c *completionCommand) Run(e *environment) error {
	script := map[string]func(*kong.Application) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	_, err := io.WriteString(e.stdout, script(e.model))
	return err
}

// allFlags are the flags that can stand behind a command: its own and those of all.
func allFlags(app *kong.Application, n *kong.Node) []*kong.Flag {
	flags := commandFlags(app.Node)
	if n != app.Node {
		flags = append(flags, commandFlags(n)...)
	}
	return flags
}

// flagNames are the ways to write a flag.
func flagNames(f *kong.Flag) []string {
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

// bashCompletion works with any bash: it needs neither the package bash-completion nor an associative array.
func bashCompletion(app *kong.Application) string {
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
		return commandName(n.Parent)
	}
	walk(app.Node, func(n *kong.Node) {
		fmt.Fprintf(&b, "      %q) command=%q ;;\n", parent(n)+" "+n.Name, commandName(n))
	})
	b.WriteString("    esac\n  done\n  case \"$command:$prev\" in\n")
	for _, n := range append([]*kong.Node{app.Node}, leafCommands(app.Node)...) {
		name := ""
		if n != app.Node {
			name = commandName(n)
		}
		for _, f := range allFlags(app, n) {
			if f.IsBool() {
				continue
			}
			var patterns []string
			for _, spelling := range flagNames(f) {
				patterns = append(patterns, fmt.Sprintf("%q", name+":"+spelling))
			}
			fmt.Fprintf(&b, "    %s) %sreturn ;;\n", strings.Join(patterns, "|"), bashValues(completionOf(f.Value)))
		}
	}
	b.WriteString("  esac\n  case \"$command:$cur\" in\n")
	visit := func(n *kong.Node, name string) {
		var flags []string
		for _, f := range allFlags(app, n) {
			flags = append(flags, flagNames(f)...)
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
			b.WriteString(bashValues(completionOf(p)))
		}
		b.WriteString(";;\n")
	}
	visit(app.Node, "")
	walk(app.Node, func(n *kong.Node) { visit(n, commandName(n)) })
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

// zshCompletion has a function for each command that has others below it.
func zshCompletion(app *kong.Application) string {
	var b strings.Builder
	b.WriteString("#compdef cdpor\n# Completion of cdpor for zsh, made by: cdpor completion zsh\n")
	var group func(n *kong.Node, function string)
	group = func(n *kong.Node, function string) {
		fmt.Fprintf(&b, "%s() {\n  local context state state_descr line\n  typeset -A opt_args\n  _arguments -C \\\n", function)
		for _, f := range allFlags(app, n) {
			fmt.Fprintf(&b, "    %s \\\n", zshFlag(f))
		}
		b.WriteString("    '1: :->command' '*:: :->rest' && return\n  case $state in\n    command)\n      local -a commands=(\n")
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
			for _, f := range allFlags(app, c) {
				fmt.Fprintf(&b, " \\\n          %s", zshFlag(f))
			}
			for i, p := range c.Positional {
				position := fmt.Sprint(i + 1)
				if p.IsCumulative() {
					position = "*"
				}
				fmt.Fprintf(&b, " \\\n          '%s:%s:%s'", position, p.Name, zshValues(completionOf(p)))
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
	group(app.Node, "_cdpor")
	b.WriteString("if [[ $funcstack[1] == _cdpor ]]; then _cdpor \"$@\"; else compdef _cdpor cdpor; fi\n")
	return b.String()
}

// zshFlag is a flag as _arguments wants it.
func zshFlag(f *kong.Flag) string {
	help, value, again := "["+zshText(f.Help)+"]", "", ""
	if f.IsCumulative() {
		again = "*"
	}
	if !f.IsBool() {
		value = ":" + f.PlaceHolder + ":" + zshValues(completionOf(f.Value))
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

// fishCompletion is one line for each command and flag.
func fishCompletion(app *kong.Application) string {
	var b strings.Builder
	b.WriteString("# Completion of cdpor for fish, made by: cdpor completion fish\ncomplete -c cdpor -f\n")
	line := func(condition, text string) {
		if condition != "" {
			text = "-n '" + condition + "' " + text
		}
		fmt.Fprintf(&b, "complete -c cdpor %s\n", text)
	}
	flag := func(condition string, f *kong.Flag) {
		text := "-l " + f.Name
		if f.Short != 0 {
			text = fmt.Sprintf("-s %c %s", f.Short, text)
		}
		if !f.IsBool() {
			text += " " + fishValues(completionOf(f.Value), true)
		}
		line(condition, text+" -d '"+summary(f.Help)+"'")
	}
	for _, f := range commandFlags(app.Node) {
		flag("", f)
	}
	var commands func(n *kong.Node, condition string)
	commands = func(n *kong.Node, condition string) {
		var names []string
		for _, c := range n.Children {
			names = append(names, c.Name)
		}
		for _, c := range n.Children {
			none := "not __fish_seen_subcommand_from " + strings.Join(names, " ")
			line(join2(condition, none), "-a "+c.Name+" -d '"+summary(c.Help)+"'")
		}
		for _, c := range n.Children {
			here := join2(condition, "__fish_seen_subcommand_from "+c.Name)
			for _, f := range commandFlags(c) {
				flag(here, f)
			}
			for _, p := range c.Positional {
				if values := fishValues(completionOf(p), false); values != "" {
					line(here, values)
				}
			}
			commands(c, here)
		}
	}
	commands(app.Node, "")
	return b.String()
}

// join2 joins two conditions of fish.
func join2(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; and " + b
}

func fishValues(c completion, ofFlag bool) string {
	var parts []string
	if ofFlag {
		parts = append(parts, "-r")
	}
	switch words := strings.Join(c.words, " "); {
	case c.commaBetween && words != "":
		parts = append(parts, "-a '(__fish_append , "+words+")'")
	case words != "":
		parts = append(parts, "-a '"+words+"'")
	}
	switch {
	case c.files:
		parts = append(parts, "-F")
	case c.dirs:
		parts = append(parts, "-f -a '(__fish_complete_directories)'")
	case ofFlag:
		parts = append(parts, "-f")
	}
	return strings.Join(parts, " ")
}
