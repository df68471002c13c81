package main

import (
	"errors"
	"io/fs"
	"os"

	"cdpor/cmd/cdpor/internal/cli"
	"cdpor/cmd/cdpor/internal/files"

	"github.com/alecthomas/kong"
)

// BeforeResolve reads the settings when the command line is known and the flags that it leaves open are not.
func (c *commandLine) BeforeResolve(ctx *kong.Context) error {
	s := &cli.Settings{}
	if err := s.ReadEnvironment(os.Environ(), wholeModel); err != nil {
		return err
	}
	path, chosen := s.Chosen()
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == cli.ConfigFlag {
			path, chosen = ctx.FlagValue(p.Flag).(string), true
		}
	}
	if !chosen {
		path = cli.SettingsFile
	}
	text, err := files.Read(path)
	switch {
	case err != nil && !chosen:
		if _, missing := os.Stat(path); !errors.Is(missing, fs.ErrNotExist) {
			return err
		}
	case err != nil:
		return err
	case !chosen && files.IsProgram(text): // a program has this name
	default:
		model, err := wholeModel()
		if err != nil {
			return err
		}
		if err := s.ReadFile(model, path, text); err != nil {
			return err
		}
	}
	ctx.AddResolver(s)
	return nil
}
