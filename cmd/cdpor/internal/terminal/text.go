package terminal

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Plural writes a number with its noun.
func Plural(n int, noun string) string { return counted(strconv.Itoa(n), noun) }

// ShortPlural is Plural with the number as Short writes it.
func ShortPlural(n int64, noun string) string { return counted(Short(float64(n)), noun) }

func counted(n, noun string) string {
	switch {
	case n == "1":
		return "1 " + noun
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "ch"):
		return n + " " + noun + "es"
	}
	return n + " " + noun + "s"
}

// Listed writes at most so many items of a list on one line.
func Listed(items []string, most int) string {
	if rest := len(items) - most; rest > 0 {
		items = append(slices.Clone(items[:most]), fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(items, ", ")
}

// PrintTable writes a table, the heading first, with aligned columns: those listed to the left, others to the right.
// With the rules of Markdown, or else with an empty line after each group of lines if a group has several; then a table
// that is wider than the given columns, 0: any number, is written in parts, each with the columns up to the first one
// to the left, which say what a line is about.
func PrintTable(w io.Writer, lines [][]string, left []int, group, columns int, markdown bool) {
	width := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			width[i] = max(width[i], textWidth(cell))
		}
	}
	if columns > 0 && !markdown {
		for i, part := range parts(width, left[0]+1, columns) {
			if i > 0 {
				fmt.Fprintln(w)
			}
			var some [][]string
			for _, line := range lines {
				var cells []string
				for _, c := range part {
					cells = append(cells, line[c])
				}
				some = append(some, cells)
			}
			var there []int
			for i, c := range part {
				if slices.Contains(left, c) {
					there = append(there, i)
				}
			}
			PrintTable(w, some, there, group, 0, false)
		}
		return
	}
	begin, between, end := "", "  ", ""
	if markdown {
		begin, between, end = "| ", " | ", " |"
	}
	for n, line := range lines {
		var padded []string
		for i, cell := range line {
			space := strings.Repeat(" ", width[i]-textWidth(cell))
			if slices.Contains(left, i) {
				padded = append(padded, cell+space)
			} else {
				padded = append(padded, space+cell)
			}
		}
		if !markdown && group > 1 && n > 1 && (n-1)%group == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, strings.TrimRight(begin+strings.Join(padded, between)+end, " "))
		if markdown && n == 0 {
			rule := ""
			for i, n := range width {
				if slices.Contains(left, i) {
					rule += "|:" + strings.Repeat("-", n+1)
				} else {
					rule += "|" + strings.Repeat("-", n+1) + ":"
				}
			}
			fmt.Fprintln(w, rule+"|")
		}
	}
}

// parts divides the columns of a table, which have widths, so that each part fits: it begins with the first few
// columns, and has another one at least.
func parts(width []int, first, columns int) (list [][]int) {
	var about []int
	narrow := -2
	for c := range first {
		about, narrow = append(about, c), narrow+2+width[c]
	}
	part, used := slices.Clone(about), narrow
	for c := first; c < len(width); c++ {
		if len(part) > first && used+2+width[c] > columns {
			list, part, used = append(list, part), slices.Clone(about), narrow
		}
		part, used = append(part, c), used+2+width[c]
	}
	return append(list, part)
}

// Short writes a number with no more digits than an estimate deserves.
func Short(f float64) string {
	for _, unit := range []struct {
		of   float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if f >= unit.of {
			digits := 0
			if f < 10*unit.of {
				digits = 1
			}
			return strconv.FormatFloat(f/unit.of, 'f', digits, 64) + unit.name
		}
	}
	return strconv.FormatFloat(f, 'f', 0, 64)
}

// Seconds writes a time with no more digits than a measurement deserves.
func Seconds(x float64) string {
	if x == 0 {
		return "0"
	}
	d := time.Duration(x * float64(time.Second))
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// ByteSize writes a number of bytes in KiB, MiB or GiB.
func ByteSize(x float64) string {
	switch {
	case x < 1<<20:
		return fmt.Sprintf("%.0f KiB", x/(1<<10))
	case x < 1<<30:
		return fmt.Sprintf("%.1f MiB", x/(1<<20))
	}
	return fmt.Sprintf("%.2f GiB", x/(1<<30))
}

// Redact takes the user and the password, or the token, out of URLs in a text.
func Redact(text string) string {
	parts := strings.Split(text, "://")
	for i := 1; i < len(parts); i++ {
		url := parts[i]
		ends := func(r rune) bool { return r <= ' ' || strings.ContainsRune("\"'`", r) }
		if end := strings.IndexFunc(url, ends); end >= 0 {
			url = url[:end]
		}
		if at := strings.LastIndexByte(url, '@'); at >= 0 {
			parts[i] = "xxxxx" + parts[i][at:]
		}
	}
	return strings.Join(parts, "://")
}

// Quote writes an argument for a shell.
func Quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("_-+=./,:@%", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	if seen := Visible(s); seen != s { // what bash, zsh and ksh read as the same characters
		return "$'" + Visible(strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s)) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Shorten cuts a text that has more than so many characters, and says so by dots.
func Shorten(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}

// refusedLines is the number of lines that a package that does not load has at most.
const refusedLines = 5

// WriteRefusal says why a package does not load.
func WriteRefusal(w io.Writer, path string, lines []string) error {
	if n := len(lines) - refusedLines; n > 0 {
		lines = append(slices.Clone(lines[:refusedLines]), fmt.Sprintf("and %d more", n))
	}
	if _, err := fmt.Fprintf(w, "%s does not load\n", path); err != nil {
		return err
	}
	for _, line := range lines {
		if _, err := fmt.Fprintf(w, "  %s\n", line); err != nil {
			return err
		}
	}
	return nil
}
