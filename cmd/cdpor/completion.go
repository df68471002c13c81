package main

import (
	"io"

	"cdpor/cmd/cdpor/internal/cli"
	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/explore"
	"cdpor/lang"
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

func (c *completionCommand) Run(e *environment.Environment) error {
	script := map[string]func(*cli.Model) string{"bash": cli.Bash, "zsh": cli.Zsh, "fish": cli.Fish}[c.Shell]
	model, err := wholeModel()
	if err != nil {
		return err
	}
	_, err = io.WriteString(e.Stdout, script(model))
	return err
}

// completionLists are the values of the tag complete: lists of words that the command line knows.
func completionLists() map[string]func() []string {
	return map[string]func() []string{
		"algorithms": func() (names []string) {
			for _, a := range explore.Algorithms() {
				names = append(names, a.Name)
			}
			return names
		},
		"variants": func() (names []string) {
			for _, v := range compare.Variants() {
				names = append(names, v.Name)
			}
			return names
		},
		"columns": compare.ColumnNames,
		"codes": func() (names []string) {
			for _, d := range lang.Diagnostics() {
				names = append(names, d.Code)
			}
			return names
		},
		"examples": func() (names []string) {
			list, err := examples()
			if err != nil {
				return nil
			}
			for _, x := range list {
				names = append(names, x.name)
			}
			return names
		},
	}
}
