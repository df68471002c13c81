//go:build nocluster

package run

import (
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/remote"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/source"
)

func (c *Command) checkConnect(int) error { return c.ConnectFlags.Check() }

func (c *Resume) comeBack(*environment.Environment) error { return remote.ErrNoCluster }

func (c *searching) remote(*report.Report, func() *source.Source) *remote.Search { return nil }
