package files

import (
	"bytes"
	"context"
	"os/exec"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
)

// Git is what git prints in a folder.
func Git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &said
	out, err := cmd.Output()
	if err != nil {
		return "", fault.Inputf("git %s: %w\n%s", args[0], err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}
