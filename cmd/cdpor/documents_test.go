package main

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	codeBlock   = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	linkTarget  = regexp.MustCompile(`\]\(([^)]+)\)`)
	headline    = regexp.MustCompile(`(?m)^#+ (.*)$`)
	betweenLine = regexp.MustCompile(`\s*\n\s*(//)?\s*`)
	// sectionOf is a reference to sections of a page of explore, by their titles.
	sectionOf = regexp.MustCompile(
		`(README|THEORY|STATES)(?:\.md)?(?:\]\([^)]*\))?(?: of package explore)?, "([^"\n]+)"(?: (?:and|to) "([^"\n]+)")?`)
)

// texts are the files of the module with some ends, by path from its root.
func texts(t *testing.T, ends ...string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "../.." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if !slices.Contains(ends, filepath.Ext(path)) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel("../..", path)
		list[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil || len(list) == 0 {
		t.Fatalf("%d files: %v", len(list), err)
	}
	return list
}

// anchors are the headings of a document as links name them.
func anchors(text string) (list []string) {
	for _, m := range headline.FindAllStringSubmatch(codeBlock.ReplaceAllStringFunc(text, func(block string) string {
		return strings.ReplaceAll(strings.Trim(block, "`"), "\n#", "\n")
	}), -1) {
		name := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(m[1]), "")
		list = append(list, strings.ReplaceAll(name, " ", "-"))
	}
	return list
}

// TestLinks: what documents link to is there, headings too.
func TestLinks(t *testing.T) {
	documents, links := texts(t, ".md"), 0
	for name, text := range documents {
		for _, m := range linkTarget.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			file, anchor, _ := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), file))
			}
			if _, err := os.Stat(filepath.Join("../..", target)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			} else if anchor != "" && !slices.Contains(anchors(documents[target]), anchor) {
				t.Errorf("%s links to %s, which has no such heading", name, m[1])
			}
		}
	}
	if links < 20 {
		t.Errorf("%d links", links)
	}
}

// TestSections: each section that comments, messages and documents refer to by its title is there.
func TestSections(t *testing.T) {
	all := texts(t, ".md", ".go")
	titles := map[string]bool{}
	for _, name := range []string{"README", "STATES", "THEORY", "cluster/README"} {
		for _, m := range headline.FindAllStringSubmatch(all["explore/"+name+".md"], -1) {
			titles[m[1]] = true
		}
	}
	references := 0
	for file, text := range all {
		for _, m := range sectionOf.FindAllStringSubmatch(betweenLine.ReplaceAllString(text, " "), -1) {
			for _, title := range m[2:] {
				references++
				if title != "" && !titles[title] {
					t.Errorf("%s: %s: there is no such section", file, m[0])
				}
			}
		}
	}
	if references < 40 {
		t.Errorf("%d references", references)
	}
}

// TestLines: lines of documents have at most 120 columns, but those of tables, code and pictures.
func TestLines(t *testing.T) {
	for name, text := range texts(t, ".md") {
		code := false
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				code = !code
			}
			if !code && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "![") &&
				!strings.HasPrefix(line, "    ") && len([]rune(line)) > 120 {
				t.Errorf("%s:%d has %d columns", name, i+1, len([]rune(line)))
			}
		}
	}
}

// TestCodeLines: lines of code have at most 120 columns, a tab counting as 4, but those with a tag or another raw
// string, which cannot be broken.
func TestCodeLines(t *testing.T) {
	for name, text := range texts(t, ".go") {
		if strings.Contains(name, "/_std/") { // whose declarations are Go's
			continue
		}
		var raw map[int]bool // lines, found when the first long one is
		for i, line := range strings.Split(text, "\n") {
			columns := len([]rune(line)) + 3*strings.Count(line, "\t")
			if columns <= 120 {
				continue
			}
			if raw == nil {
				raw = rawLines(text)
			}
			if !raw[i+1] {
				t.Errorf("%s:%d has %d columns", name, i+1, columns)
			}
		}
	}
}

// TestFunctions: functions have at most 80 lines, those of tests 100, and types at most 40 methods.
func TestFunctions(t *testing.T) {
	methods := map[string]int{}
	for name, text := range texts(t, ".go") {
		if strings.Contains(name, "/_std/") { // whose functions are Go's
			continue
		}
		most := 80
		if strings.HasSuffix(name, "_test.go") {
			most = 100
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				if receiver, _, isMethod := strings.Cut(functionName(f), "."); isMethod {
					methods[filepath.Dir(name)+"."+receiver]++
				}
				from, to := files.Position(f.Pos()), files.Position(f.End())
				if lines := to.Line - from.Line + 1; lines > most {
					t.Errorf("%v: %s has %d lines", from, f.Name.Name, lines)
				}
			}
		}
	}
	for name, count := range methods {
		if count > 40 {
			t.Errorf("%s has %d methods, 40 may be: make one a function, or a method of a type of its own", name, count)
		}
	}
}

// rawLines are the lines of a Go file that have a part of a raw string.
func rawLines(text string) map[int]bool {
	files, lines := token.NewFileSet(), map[int]bool{}
	file := files.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, 0)
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if kind == token.STRING && literal[0] == '`' {
			first := file.Line(pos)
			for i := range strings.Count(literal, "\n") + 1 {
				lines[first+i] = true
			}
		}
	}
}
