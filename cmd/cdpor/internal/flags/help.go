package flags

import "github.com/alecthomas/kong"

// HelpAll is the flag that shows all flags of a command.
type HelpAll bool

// IgnoreDefault and BeforeReset are called by kong, as they are for --help.
func (HelpAll) IgnoreDefault() {}

func (HelpAll) BeforeReset(ctx *kong.Context) error {
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	ctx.Exit(0)
	return nil
}
