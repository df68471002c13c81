package files

import (
	"bytes"
	"context"
	"os/exec"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
)

// Git runs git in a folder and returns its output.
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
