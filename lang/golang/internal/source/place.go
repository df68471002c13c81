package source

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"cdpor/lang/golang/internal/model"
)

// A Place is where something stands in the text: lines and columns count from 1.
type Place struct {
	File      string // below the path that the user gave, if it is in that folder
	Line, Col int
}

// At is the place of a position.
func (p *Program) At(pos token.Pos) Place {
	if !pos.IsValid() {
		return Place{}
	}
	at := p.Fset.Position(pos)
	return Place{p.short(at.Filename), at.Line, at.Column}
}

// Where is the place of a position as messages begin with it.
func (p *Program) Where(pos token.Pos) string {
	at := p.At(pos)
	return fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Col)
}

// short is the path of a file below the folder that the user named, or its last two parts if it is elsewhere.
func (p *Program) short(file string) string {
	if rel, err := filepath.Rel(p.dir, file); err == nil && !strings.HasPrefix(rel, "..") {
		return filepath.Join(p.given, rel)
	}
	return filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file))
}

// InModel reports whether a position is in a model of a library package.
func (p *Program) InModel(pos token.Pos) bool {
	name := filepath.Base(p.Fset.Position(pos).Filename)
	return name == model.File || name == model.RestFile
}

// InEntry reports whether a position is in a function that was added to run a test.
func (p *Program) InEntry(pos token.Pos) bool {
	return strings.HasPrefix(filepath.Base(p.Fset.Position(pos).Filename), entryFile)
}

// InLibrary reports whether a position is in the standard library, or a model of it.
func (p *Program) InLibrary(pos token.Pos) bool {
	return pos.IsValid() && strings.HasPrefix(p.Fset.Position(pos).Filename, p.library)
}

// Line is the text of the line of a position, without the space around it.
func (p *Program) Line(pos token.Pos) string {
	if !pos.IsValid() {
		return ""
	}
	at := p.Fset.Position(pos)
	lines, known := p.lines[at.Filename]
	if !known {
		if text, err := os.ReadFile(at.Filename); err == nil {
			lines = strings.Split(string(text), "\n")
		}
		p.lines[at.Filename] = lines
	}
	if at.Line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[at.Line-1])
}
