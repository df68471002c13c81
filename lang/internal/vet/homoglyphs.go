package vet

import (
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/syntax"
)

// Remarks on names that look like other names: letters of several scripts look alike.

// latin are letters of other scripts that cannot be told from a Latin letter.
var latin = func() map[rune]rune {
	m := map[rune]rune{}
	for _, pair := range [][2]string{
		{"аеорсухіјѕԁԛԝһӏѵАВЕКМНОРСТУХІЈЅ", "aeopcyxijsdqwhlvABEKMHOPCTYXIJS"}, // Cyrillic
		{"ονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovABEZHIKMNOPTYX"},                               // Greek
	} {
		looks := []rune(pair[1])
		for i, r := range []rune(pair[0]) {
			m[r] = looks[i]
		}
	}
	for r := 'a'; r <= 'z'; r++ { // fullwidth
		m[r-'a'+'ａ'], m[r-'a'+'Ａ'] = r, unicode.ToUpper(r)
	}
	return m
}()

// skeleton is a name as a reader sees it, and the first letter that looks like another.
func skeleton(name string) (seen string, odd rune) {
	seen = strings.Map(func(r rune) rune {
		to, is := latin[r]
		if !is {
			return r
		}
		if odd == 0 {
			odd = r
		}
		return to
	}, name)
	return seen, odd
}

// homoglyphs reports names that look like other names, and those that mix letters which look alike.
func (v *vetter) homoglyphs() {
	text := v.File.Text()
	if !strings.ContainsFunc(text, func(r rune) bool { return latin[r] != 0 }) {
		return
	}
	quiet := v.Silent()
	names := namesOf(quiet, syntax.ParseYAML(quiet, []byte(text)))
	first := map[string]syntax.Token{}
	for _, t := range names {
		if seen, odd := skeleton(t.Text); odd == 0 {
			if _, known := first[seen]; !known {
				first[seen] = t
			}
		}
	}
	said := map[string]bool{}
	for _, t := range names {
		seen, odd := skeleton(t.Text)
		if odd == 0 || said[t.Text] {
			continue
		}
		said[t.Text] = true
		hint := "write it with Latin letters, " + seen + ", or give it another name"
		if other, is := first[seen]; is {
			v.Report(t.Pos, t.End, hint, "%s looks like the name %s on line %d and is another one: its %c is U+%04X",
				t.Text, seen, other.Pos.Line, odd, odd)
		} else if strings.ContainsFunc(t.Text, func(r rune) bool {
			return r < unicode.MaxASCII &&
				unicode.IsLetter(r)
		}) {
			v.Report(t.Pos, t.End, hint, "%s mixes Latin letters with some that look like them: its %c is U+%04X",
				t.Text, odd, odd)
		}
	}
}

// namesOf are the names in the keys and the code below a node.
func namesOf(r *syntax.Reporter, n *yaml.Node) (list []syntax.Token) {
	if n == nil {
		return nil
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			if key := n.Content[i-1].Value; key == "name" || key == "description" {
				continue // prose
			}
		}
		list = append(list, namesOf(r, c)...)
	}
	if n.Kind != yaml.ScalarNode {
		return list
	}
	code, _ := r.Code(n, "")
	for _, t := range syntax.Lex(r, code) {
		if t.Kind == syntax.TName {
			list = append(list, t)
		}
	}
	return list
}
