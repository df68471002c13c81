package findings

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"

	"gopkg.in/yaml.v3"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
)

// BaselineVersion is the version of the form of baselines.
const BaselineVersion = 1

// A Baseline has the findings that are known, in a file that people review.
type Baseline struct {
	Version int            `yaml:"cdpor-baseline"`
	Known   []*known       `yaml:"known"`
	folder  string         // of the file, from which paths are seen
	left    map[string]int // that are not found again yet, by fingerprints
}

// A known finding has its fingerprint, and for people what it is about.
type known struct {
	Fingerprint string `yaml:"fingerprint"`
	Count       int    `yaml:"count"`
	Kind        string `yaml:"kind"`
	Program     string `yaml:"program"`
	Func        string `yaml:"func,omitempty"`
	Text        string `yaml:"text"`
}

// ReadBaseline reads a baseline.
func ReadBaseline(path string) (*Baseline, error) {
	text, err := files.Read(path)
	if err != nil {
		return nil, err
	}
	var b Baseline
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&b); err != nil {
		return nil, fault.Inputf("%s is no baseline: %w", path, err)
	}
	if b.Version != BaselineVersion {
		return nil, fault.Inputf("%s is no baseline: it does not begin with cdpor-baseline: %d", path, BaselineVersion)
	}
	b.folder, b.left = filepath.Dir(path), map[string]int{}
	for _, k := range b.Known {
		b.left[k.Fingerprint] += k.Count
	}
	return &b, nil
}

// Mark marks the findings that are known. Where there are more alike than the baseline has, those at the end are new.
func (b *Baseline) Mark(list []*Finding) {
	for _, f := range list {
		if print := f.Fingerprint(b.folder); b.left[print] > 0 {
			b.left[print]--
			f.Known = true
		}
	}
}

// WriteBaseline writes a baseline with all findings. Those that an older one has of programs and tests that were not
// explored stay in it.
func WriteBaseline(path string, list []*Finding, explored []*Finding) error {
	folder, old := filepath.Dir(path), &Baseline{}
	if files.Exists(path) { // another file is not written over
		var err error
		if old, err = ReadBaseline(path); err != nil {
			return err
		}
	}
	b := &Baseline{Version: BaselineVersion, Known: slices.DeleteFunc(old.Known, func(k *known) bool {
		return slices.ContainsFunc(explored, func(e *Finding) bool {
			return Relative(folder, e.Program) == k.Program && e.Func == k.Func
		})
	})}
	at := map[string]*known{}
	for _, f := range list {
		print := f.Fingerprint(folder)
		if at[print] == nil {
			at[print] = &known{Fingerprint: print, Kind: f.Kind, Program: Relative(folder, f.Program), Func: f.Func,
				Text: f.Text}
			b.Known = append(b.Known, at[print])
		}
		at[print].Count++
	}
	var out bytes.Buffer
	fmt.Fprintln(&out, "# Findings that do not fail: cdpor run --baseline FILE; --update-baseline writes it.")
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(b); err != nil {
		return err
	}
	return files.Write(path, out.Bytes())
}
