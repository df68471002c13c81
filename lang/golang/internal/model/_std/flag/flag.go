// The flags of a program. Each has its default value.
package flag

import "time"

type Flag struct {
	Name     string
	Usage    string
	Value    Value
	DefValue string
}

type Value interface {
	String() string
	Set(string) error
}

var parsed bool

func Parse()               { parsed = true }
func Parsed() bool         { return parsed }
func Args() []string       { return nil }
func NArg() int            { return 0 }
func NFlag() int           { return 0 }
func Arg(i int) string     { return "" }
func Visit(fn func(*Flag)) {}

func Bool(name string, value bool, usage string) *bool       { return &value }
func Int(name string, value int, usage string) *int          { return &value }
func Int64(name string, value int64, usage string) *int64    { return &value }
func Uint(name string, value uint, usage string) *uint       { return &value }
func Uint64(name string, value uint64, usage string) *uint64 { return &value }
func String(name string, value string, usage string) *string { return &value }
func Duration(name string, value time.Duration, usage string) *time.Duration {
	return &value
}

func BoolVar(p *bool, name string, value bool, usage string)       { *p = value }
func IntVar(p *int, name string, value int, usage string)          { *p = value }
func Int64Var(p *int64, name string, value int64, usage string)    { *p = value }
func UintVar(p *uint, name string, value uint, usage string)       { *p = value }
func Uint64Var(p *uint64, name string, value uint64, usage string) { *p = value }
func StringVar(p *string, name string, value string, usage string) { *p = value }
func DurationVar(p *time.Duration, name string, value time.Duration, usage string) {
	*p = value
}

// The others only declare a flag, which keeps its default.

func Var(value Value, name string, usage string)         {}
func Func(name, usage string, fn func(string) error)     {}
func BoolFunc(name, usage string, fn func(string) error) {}
