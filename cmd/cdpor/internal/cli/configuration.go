package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/lang"
	"cdpor/lang/step"

	"github.com/alecthomas/kong"
	"gopkg.in/yaml.v3"
)

// Settings: flags that the command line does not give are looked for in the environment, then in a file. The file has
// the flags of all commands at its top, and a mapping for each command:
//
//	color: never
//	run:
//	  algorithm: source
//
// In the environment these are CDPOR_COLOR and CDPOR_RUN_ALGORITHM. What is no setting is an error, in both places.

// SettingsFile is the file of settings, unless a flag or a variable names another one.
const (
	SettingsFile   = "cdpor.yaml"
	settingsPrefix = "CDPOR_"

	// NoRun is the environment variable that forbids to execute programs. It is no setting of a flag.
	NoRun      = "CDPOR_NO_RUN"
	ConfigFlag = "config" // the flag that names the file; the only one that cannot stand in it
)

// Settings are values of flags, by command and flag: "run.algorithm", or "color" for a flag of all commands.
type Settings struct {
	Environment, file map[string]any // a string, or a list of strings
}

// Chosen is the file that the environment names, if it does.
func (s *Settings) Chosen() (path string, ok bool) {
	path, ok = s.Environment[ConfigFlag].(string)
	return path, ok
}

// Validate is asked by kong; everything has been checked while reading.
func (s *Settings) Validate(*kong.Application) error { return nil }

// Resolve gives a flag that is not on the command line its value, nil if there is none. A flag that excludes it wins if
// it stands in a place of higher rank.
func (s *Settings) Resolve(ctx *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
	var rivals []*kong.Flag
	for _, other := range parent.Node().Flags {
		if other != flag && slices.ContainsFunc(other.Xor,
			func(x string) bool { return slices.Contains(flag.Xor, x) }) {
			rivals = append(rivals, other)
		}
	}
	given := func(f *kong.Flag) bool {
		return slices.ContainsFunc(ctx.Path, func(p *kong.Path) bool { return p.Flag == f && !p.Resolved })
	}
	inEnvironment := func(f *kong.Flag) bool { return s.Environment[settingKey(parent.Node(), f)] != nil }
	key := settingKey(parent.Node(), flag)
	switch {
	case slices.ContainsFunc(rivals, given):
		return nil, nil
	case s.Environment[key] != nil:
		return s.Environment[key], nil
	case slices.ContainsFunc(rivals, inEnvironment):
		return nil, nil
	}
	return s.file[key], nil
}

func settingKey(n *kong.Node, f *kong.Flag) string {
	if n.Type == kong.ApplicationNode {
		return f.Name
	}
	return strings.ReplaceAll(CommandName(n), " ", ".") + "." + f.Name
}

// settable are the flags of a command that can be set.
func settable(n *kong.Node) map[string]*kong.Flag {
	flags := map[string]*kong.Flag{}
	for _, f := range CommandFlags(n) {
		if f.Name != "version" && !strings.HasPrefix(f.Name, "help") {
			flags[f.Name] = f
		}
	}
	return flags
}

// variable is the environment variable of a setting.
func variable(key string) string {
	return settingsPrefix + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(key))
}

// ReadEnvironment reads variables; the model is asked for only if some may be settings.
func (s *Settings) ReadEnvironment(environ []string, model func() (*Model, error)) error {
	isSetting := func(entry string) bool {
		return strings.HasPrefix(entry, settingsPrefix) && !strings.HasPrefix(entry, NoRun+"=")
	}
	if !slices.ContainsFunc(environ, isSetting) {
		return nil
	}
	m, err := model()
	if err != nil {
		return err
	}
	flags, keys := map[string]*kong.Flag{}, map[string]string{}
	var names []string
	for _, n := range append([]*kong.Node{m.Node}, Commands(m.Node)...) {
		for _, f := range settable(n) {
			name := variable(settingKey(n, f))
			flags[name], keys[name] = f, settingKey(n, f)
			names = append(names, strings.TrimPrefix(name, settingsPrefix))
		}
	}
	slices.Sort(names)
	s.Environment = map[string]any{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !isSetting(entry) || value == "" {
			continue
		}
		if flags[name] == nil {
			if hint := lang.DidYouMean(strings.TrimPrefix(name, settingsPrefix), names); hint != "" {
				return fault.Inputf("environment variable %s: there is no such setting; %s", name,
					strings.Replace(hint, "mean ", "mean "+settingsPrefix, 1))
			}
			return fault.Inputf("environment variable %s: there is no such setting; they are called "+
				"CDPOR_COMMAND_FLAG, such as CDPOR_RUN_ALGORITHM", name)
		}
		if wrong := m.wrongSetting(flags[name], value); wrong != "" {
			return fault.Inputf("environment variable %s: %s", name, wrong)
		}
		s.Environment[keys[name]] = value
	}
	return nil
}

// wrongSetting says why a value is none for a flag; empty if it is one.
func (m *Model) wrongSetting(f *kong.Flag, value any) string {
	words := m.wordsOf(f.Value)
	for _, word := range settingWords(f, value) {
		if len(words) > 0 && !slices.Contains(words, word) {
			return strings.TrimSuffix(fmt.Sprintf("%q is none of %s; %s", word, strings.Join(words, ", "),
				lang.DidYouMean(word, words)), "; ")
		}
	}
	defer func(set bool) { f.Set = set }(f.Set) // Parse means that it is set
	if err := f.Parse(kong.Scan().PushTyped(value, kong.FlagValueToken),
		reflect.New(f.Target.Type()).Elem()); err != nil {
		return Reworded(strings.TrimPrefix(err.Error(), f.ShortSummary()+": "))
	}
	return ""
}

// settingWords are the words of a value.
func settingWords(f *kong.Flag, value any) (words []string) {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			words = append(words, v.(string))
		}
	case string:
		words = []string{value}
		if f.IsSlice() && f.Tag.Sep != -1 {
			words = strings.Split(value, string(f.Tag.Sep))
		}
	}
	return words
}

// A settingsReader reads a file of settings.
type settingsReader struct {
	*Settings
	model *Model
	file  *lang.File
	errs  lang.ErrorList
}

// ReadFile reads the text of a file with settings; an error is a lang.ErrorList.
func (s *Settings) ReadFile(m *Model, path string, text []byte) error {
	s.file = map[string]any{}
	r := &settingsReader{Settings: s, model: m, file: lang.NewFile(path, text)}
	var doc, next yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF): // empty
	case err != nil:
		at, msg := step.Pos{Line: 1, Col: 1}, strings.TrimPrefix(err.Error(), "yaml: ")
		if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(msg); m != nil {
			at.Line, _ = strconv.Atoi(m[1])
			msg = strings.TrimPrefix(msg, m[0])
		}
		r.errs = append(r.errs, &lang.Error{File: r.file, Pos: at, Msg: msg})
	default:
		r.mapping(m.Node, doc.Content[0])
		if decoder.Decode(&next) == nil {
			r.errorf(&next, "write all settings above it", "a second YAML document, and a file of settings is one")
		}
	}
	if len(r.errs) > 0 {
		return r.errs
	}
	return nil
}

func (r *settingsReader) errorf(n *yaml.Node, hint, format string, args ...any) {
	at := step.Pos{Line: n.Line, Col: n.Column}
	end := step.Pos{Line: n.Line, Col: n.Column + len([]rune(n.Value))}
	r.errs = append(r.errs, &lang.Error{File: r.file, Pos: at, End: end, Msg: fmt.Sprintf(format, args...), Hint: hint})
}

// mapping reads the settings of a command and of the commands below it.
func (r *settingsReader) mapping(command *kong.Node, n *yaml.Node) {
	what := "of the settings"
	if command.Type != kong.ApplicationNode {
		what = "of cdpor " + CommandName(command)
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.errorf(n, "", "the value %s must be a mapping", what)
		return
	}
	flags, commands := settable(command), map[string]*kong.Node{}
	delete(flags, ConfigFlag)
	var known []string
	for _, c := range command.Children {
		commands[c.Name] = c
		known = append(known, c.Name)
	}
	known = slices.AppendSeq(known, maps.Keys(flags))
	slices.Sort(known)
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case seen[key.Value]:
			r.errorf(key, "", "key %s is there twice", key.Value)
		case commands[key.Value] != nil:
			r.mapping(commands[key.Value], value)
		case flags[key.Value] != nil:
			r.value(settingKey(command, flags[key.Value]), flags[key.Value], value)
		default:
			hint := lang.DidYouMean(key.Value, known)
			if hint == "" {
				hint = "there are " + strings.Join(known, ", ")
			}
			if len(known) == 0 {
				hint = "it has no flags"
			}
			r.errorf(key, hint, "unknown key %s %s", key.Value, what)
		}
		seen[key.Value] = true
	}
}

func (r *settingsReader) value(key string, f *kong.Flag, n *yaml.Node) {
	var value any
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag != "!!null":
		value = n.Value
	case n.Kind == yaml.SequenceNode && f.IsSlice():
		var list []any
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
				r.errorf(item, "", "%s: this is no value", f.Name)
				return
			}
			list = append(list, item.Value)
		}
		value = list
	default:
		r.errorf(n, "", "%s: this is no value", f.Name)
		return
	}
	if wrong := r.model.wrongSetting(f, value); wrong != "" {
		r.errorf(n, "", "%s: %s", f.Name, wrong)
		return
	}
	r.Settings.file[key] = value
}
