package terminal

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"cdpor/lang/step"
)

// Annotate writes a workflow command of GitHub Actions, which shows a text at a place in a file;
// what is about a file as a whole, at its beginning.
func Annotate(w io.Writer, severity, file string, at, end step.Pos, title, text string) {
	properties := []string{"file=" + escapeProperty(FromRoot(file)), fmt.Sprintf("line=%d", max(1, at.Line)),
		fmt.Sprintf("col=%d", max(1, at.Col))}
	if end.Line == at.Line && end.Col > at.Col {
		properties = append(properties, fmt.Sprintf("endColumn=%d", end.Col))
	}
	if title != "" {
		properties = append(properties, "title="+escapeProperty(title))
	}
	fmt.Fprintf(w, "::%s %s::%s\n", severity, strings.Join(properties, ","), escapeData(text))
}

// Root is the folder that services see files from: that of the workspace of GitHub Actions if the current one is in it.
func Root() string {
	here, err := os.Getwd()
	root := os.Getenv("GITHUB_WORKSPACE")
	if rest, wrong := filepath.Rel(root, here); err != nil || wrong != nil || !filepath.IsLocal(rest) {
		return here
	}
	return root
}

// FromRoot is a path as services see it, if they can.
func FromRoot(path string) string {
	full, err := filepath.Abs(path)
	if rest, wrong := filepath.Rel(Root(), full); err == nil && wrong == nil && path != "" && filepath.IsLocal(rest) {
		return filepath.ToSlash(rest)
	}
	return path
}

// escapeData and escapeProperty hide what ends the parts of a workflow command.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}
