package explore

import (
	"io"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/saved"
	"cdpor/lang/step"
)

// What a search has found is package internal/results; these are its names for users of this package.

type (
	Verdict         = results.Verdict
	Counts          = results.Counts
	Result          = results.Result
	Interchangeable = results.Interchangeable
	ViolationKind   = results.ViolationKind
	Outcome         = results.Outcome
	OutcomeSet      = results.OutcomeSet
	Violation       = results.Violation
	Valuation       = results.Valuation
	Claim           = results.Claim
	UncheckedKind   = results.UncheckedKind
	Unchecked       = results.Unchecked
	Unreleased      = results.Unreleased
	Liveness        = results.Liveness
	InvariantCheck  = results.InvariantCheck
)

const (
	OK                = results.OK
	Bounded           = results.Bounded
	Violated          = results.Violated
	Incomplete        = results.Incomplete
	StoppedComplete   = results.StoppedComplete
	StoppedExecutions = results.StoppedExecutions
	StoppedDepth      = results.StoppedDepth
	StoppedPreemption = results.StoppedPreemption
	StoppedBounds     = results.StoppedBounds
	StoppedTime       = results.StoppedTime
	StoppedMemory     = results.StoppedMemory
	StoppedContext    = results.StoppedContext
	StoppedFirst      = results.StoppedFirst
	StoppedEnough     = results.StoppedEnough
	StoppedCancelled  = results.StoppedCancelled
	StoppedPoison     = results.StoppedPoison
	StoppedLost       = results.StoppedLost
	StoppedSimulation = results.StoppedSimulation
	FailedStep        = results.FailedStep
	DeadlockFound     = results.DeadlockFound
	NoDeadlock        = results.NoDeadlock
	FinalBroken       = results.FinalBroken
	NotReached        = results.NotReached
	ReachedAnyway     = results.ReachedAnyway
	InvariantFalse    = results.InvariantFalse
	AlwaysBroken      = results.AlwaysBroken
	StepBroken        = results.StepBroken
	OutcomeMissing    = results.OutcomeMissing
	OutcomeExtra      = results.OutcomeExtra
	NotLinear         = results.NotLinear
	NoWayToEnd        = results.NoWayToEnd
	Endless           = results.Endless
	NeverHolds        = results.NeverHolds
	NeverFollows      = results.NeverFollows
	NeverStays        = results.NeverStays
	Vacuous           = results.Vacuous
	NoEnd             = results.NoEnd
	AllDropped        = results.AllDropped
	NoNormalEnd       = results.NoNormalEnd
	NotEvaluated      = results.NotEvaluated
	NoOperation       = results.NoOperation
	NotPerformed      = results.NotPerformed
	NotEverywhere     = results.NotEverywhere
	OnlyDropped       = results.OnlyDropped
	NotReachedYet     = results.NotReachedYet
	NeverReached      = results.NeverReached
	OnlyAtStart       = results.OnlyAtStart
	NothingToDo       = results.NothingToDo
	TestSkipped       = results.TestSkipped
	NeverRun          = results.NeverRun
)

// GoSections are the properties that are checked of Go programs only.
var GoSections = results.GoSections

// NewValuation makes a valuation. The error is an internal one.
func NewValuation(m *step.Machine) (*Valuation, error) { return results.NewValuation(m) }

// InText compares places in a program.
func InText(a, b step.Pos) int { return results.InText(a, b) }

var short = results.Short

// A Checkpoint is a search as plain data (package internal/saved).
type Checkpoint = saved.Checkpoint

// CheckpointVersion is the version of the form of checkpoints.
const CheckpointVersion = saved.Version

// ReadCheckpoint reads what Checkpoint.Write has written. Resume finds out whether it fits a program. The caller
// protects the file by a checksum: states in it are taken for states of the program.
func ReadCheckpoint(from io.Reader) (*Checkpoint, error) { return saved.Read(from) }

// What a search is asked, and who looks on, is package internal/engine; these are its names.

type (
	Options           = engine.Options
	Synthesis         = engine.Synthesis
	SearchedElsewhere = engine.SearchedElsewhere
	Observer          = engine.Observer
	Sleepers          = engine.Sleepers
	Race              = engine.Race
	RaceKind          = engine.RaceKind
	Insertion         = engine.Insertion
	Reason            = engine.Reason
	LeafKind          = engine.LeafKind
	Skipped           = engine.Skipped
)

const (
	EndsNormally  = engine.EndsNormally
	EndsDeadlock  = engine.EndsDeadlock
	EndsFailed    = engine.EndsFailed
	EndsDropped   = engine.EndsDropped
	EndsCut       = engine.EndsCut
	EndsBlocked   = engine.EndsBlocked
	EndsVisited   = engine.EndsVisited
	EndsHopeless  = engine.EndsHopeless
	SkippedAsleep = engine.SkippedAsleep
	SkippedSeen   = engine.SkippedSeen
)

const (
	DefaultMaxDepth = engine.DefaultMaxDepth // events that an execution may have before it is cut
	MaxActions      = engine.MaxActions      // of a program
)

// An Algorithm is an entry of the registry.
type Algorithm = dpor.Algorithm

// Conditions are independence constraints compiled for one machine (constraints.Compiled).
type Conditions = happens.Conditions

// ErrMemory is the cause to end a context with when the memory that a search may take is used up.
var ErrMemory = engine.ErrMemory
