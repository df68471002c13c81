// Package rand stands in for Go's: a random number is any number, as far as its range is small.
package rand

func choose(n int) int // one of 0 .. n-1, each in some execution

type Source interface {
	Int63() int64
	Seed(seed int64)
}

type source struct{}

func (source) Int63() int64    { return int64(choose(2)) }
func (source) Seed(seed int64) {}

func NewSource(seed int64) Source { return source{} }
func Seed(seed int64)             {}

func Intn(n int) int       { return choose(n) }
func Int31n(n int32) int32 { return int32(choose(int(n))) }
func Int63n(n int64) int64 { return int64(choose(int(n))) }

type Rand struct{}

func New(src Source) *Rand           { return &Rand{} }
func (r *Rand) Intn(n int) int       { return choose(n) }
func (r *Rand) Int31n(n int32) int32 { return int32(choose(int(n))) }
func (r *Rand) Int63n(n int64) int64 { return int64(choose(int(n))) }
