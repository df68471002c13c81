package lsp

import (
	"slices"

	"cdpor/lang"
	"cdpor/lang/step"
)

// references are the places of the program where the thing is named that is named at a place. Fields of records and
// members of enums have none: their mentions do not tell to which declaration they belong.
func (s *server) references(d *document, at step.Pos, declaration bool) []location {
	list := []location{}
	for _, m := range sameAs(s.analyse(d).mentions, at) {
		if declaration || m.Pos != m.Decl {
			list = append(list, location{d.uri, d.span(m.Pos, m.End)})
		}
	}
	return list
}

// sameAs are the mentions of the thing that is mentioned at a place, one for each place.
func sameAs(all []lang.Mention, at step.Pos) (list []lang.Mention) {
	here := mentionsAt(all, at)
	i := slices.IndexFunc(here, declared)
	if i < 0 {
		return nil
	}
	for _, m := range all {
		if declared(m) && m.Decl == here[i].Decl && (len(list) == 0 || list[len(list)-1].Pos != m.Pos) {
			list = append(list, m)
		}
	}
	return list
}

// declared reports whether the declaration of what is mentioned is known. That of a member is the type.
func declared(m lang.Mention) bool { return m.Decl != (step.Pos{}) && m.What != "member" }
