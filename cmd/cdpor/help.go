package main

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"

	"github.com/alecthomas/kong"
)

// flagGroups are the flags of cdpor run that its help shows only if it is asked for all. What is not here is common.
var flagGroups = []kong.Group{
	{Key: "the search", Description: "algorithm workers symmetry simulate pct seed " +
		"visited no-visited visited-memory"},
	{Key: "limits", Description: "max-executions max-depth max-memory preemptions graph-states checkpoint " +
		"checkpoint-every allow-vacuous"},
	{Key: "output", Description: "all-violations no-minimize coverage format sarif summary baseline " +
		"update-baseline"},
	{Key: "Go", Description: "engine bound no-races keep-going early-timers junit overlay native " +
		"changed since"},
	{Key: "constraints", Description: "constraints no-constraints trust-constraints use-constraints cache no-cache"},
	{Key: "cluster", Description: "connect job replicas creds tls-ca tls-cert tls-key inbox"},
}

// groupOf is the group of a flag, nil if it is common.
func groupOf(parent kong.Visitable, f *kong.Flag) *kong.Group {
	if n, ok := parent.(*kong.Node); ok && n.Name == "run" {
		for _, g := range flagGroups {
			if slices.Contains(strings.Fields(g.Description), f.Name) {
				return &kong.Group{Key: g.Key, Title: "Flags for " + g.Key + ":"}
			}
		}
	}
	return nil
}

// printHelp prints the help of a command: the common flags, or if all are asked for a sentence about each. Of the
// commands it describes those that everybody needs, and names the others.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if ctx.Selected() == nil {
		return printCommands(options, ctx)
	}
	var more []string
	n, all := ctx.Selected(), slices.Contains(ctx.Args, "--help-all")
	for _, f := range ctx.Model.Flags {
		f.Hidden = f.Hidden || f.Name == "version" // which is for no command
	}
	for _, f := range n.Flags {
		if first, _, cut := strings.Cut(f.Help, ". "); all && cut {
			f.Help = first + "."
		}
		if about, rest, is := strings.Cut(f.Help, ": "); all && is && f.Group != nil && f.Group.Key == "Go" &&
			strings.HasPrefix(about, "Of ") {
			f.Help = strings.ToUpper(rest[:1]) + rest[1:]
		}
	}
	if !all {
		for _, f := range n.Flags {
			if f.Group == nil {
				continue
			}
			if f.Hidden = true; !slices.Contains(more, f.Group.Key) {
				more = append(more, f.Group.Key)
			}
		}
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil || more == nil && !all {
		return err
	}
	if all {
		return terminal.Print(ctx.Stdout, "\nA sentence for each flag; cdpor generate man tells all about them.\n")
	}
	return terminal.Print(ctx.Stdout, "\nMore flags (%s) are shown by cdpor run --help-all.\n",
		strings.Join(more, ", "))
}

// printCommands prints the help without a command.
func printCommands(options kong.HelpOptions, ctx *kong.Context) error {
	names := map[string][]string{}
	for _, n := range ctx.Model.Children {
		if n.Group != nil {
			names[n.Group.Key] = append(names[n.Group.Key], n.Name)
			n.Hidden, n.Group = true, nil
		}
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	text := "\nMore commands:\n"
	for _, g := range []string{constraining, studying, clustered, serving} {
		text += fmt.Sprintf("  %-23s %s\n", g, strings.Join(names[g], ", "))
	}
	return terminal.Print(ctx.Stdout, "%s", text)
}
