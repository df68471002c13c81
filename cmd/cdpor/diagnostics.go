package main

import (
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// What is wrong with files and command lines, for machines.

// wantsJSON reports whether the flags of a command ask for JSON.
func wantsJSON(c *kong.Context) bool {
	if c.Selected() == nil {
		return false
	}
	for _, f := range c.Selected().Flags {
		switch value := c.FlagValue(f).(type) {
		case bool:
			if f.Name == "json" && value {
				return true
			}
		case string:
			if f.Name == "format" && value == "json" {
				return true
			}
		}
	}
	return false
}

// asksForJSON is wantsJSON for a command line that could not be understood.
func asksForJSON(args []string) bool {
	for i, a := range args {
		switch {
		case a == "--":
			return false
		case a == "--format=json", a == "--format" && i+1 < len(args) && args[i+1] == "json":
			return true
		case strings.HasPrefix(a, "--json"):
			on, err := strconv.ParseBool(strings.TrimPrefix(a, "--json="))
			if a == "--json" || err == nil && on {
				return true
			}
		}
	}
	return false
}
