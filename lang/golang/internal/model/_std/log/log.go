// Package log stands in for Go's: it ignores what is logged.
package log

import "io"

func exit(code int)

const (
	Ldate = 1 << iota
	Ltime
	Lmicroseconds
	Llongfile
	Lshortfile
	LUTC
	Lmsgprefix
	LstdFlags = Ldate | Ltime
)

type Logger struct{ prefix string }

func New(out io.Writer, prefix string, flag int) *Logger { return &Logger{prefix} }
func Default() *Logger                                   { return &Logger{} }

func (l *Logger) Print(v ...any)                 {}
func (l *Logger) Printf(format string, v ...any) {}
func (l *Logger) Println(v ...any)               {}
func (l *Logger) Fatal(v ...any)                 { exit(1) }
func (l *Logger) Fatalf(format string, v ...any) { exit(1) }
func (l *Logger) Fatalln(v ...any)               { exit(1) }
func (l *Logger) Panic(v ...any)                 { panic("log.Panic") }
func (l *Logger) Panicf(format string, v ...any) { panic("log.Panicf") }
func (l *Logger) SetPrefix(prefix string)        {}
func (l *Logger) SetFlags(flag int)              {}

func Print(v ...any)                 {}
func Printf(format string, v ...any) {}
func Println(v ...any)               {}
func Fatal(v ...any)                 { exit(1) }
func Fatalf(format string, v ...any) { exit(1) }
func Fatalln(v ...any)               { exit(1) }
func Panic(v ...any)                 { panic("log.Panic") }
func Panicf(format string, v ...any) { panic("log.Panicf") }
func SetFlags(flag int)              {}
func SetPrefix(prefix string)        {}
func SetOutput(w io.Writer)          {}
