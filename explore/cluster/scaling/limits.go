package scaling

import "time"

// A Limit is what keeps more workers from being of more use.
type Limit string

const (
	ByWork        Limit = "work"        // nothing: workers explore for more than half of their time
	ByServer      Limit = "server"      // it is at work for four fifths of the time
	ByFold        Limit = "fold"        // the coordinator folds for four fifths of the time
	ByJoining     Limit = "adding up"   // it adds up what was found for four fifths of the time
	ByRecords     Limit = "records"     // workers wait until their records are stored
	ByParcels     Limit = "parcels"     // workers wait for answers between two parcels, or replay the way to one
	ByHandOut     Limit = "hand-out"    // something waits, and is on its way from a record over the coordinator
	ByHints       Limit = "hints"       // workers could give something away, and have not been told to, or just have
	ByChains      Limit = "chains"      // nobody knows of more to be explored: the next insertion is not in the log yet
	ByTail        Limit = "tail"        // nor does anybody from then on to the end
	BySuperfluous Limit = "superfluous" // workers explore what others have explored
)

// Shares are what the workers do with their time, as parts of all of it.
type Shares struct {
	Useful, Superfluous, Records, Parcels float64
	HandOut, Hints, Chains, Tail          float64 // without a parcel, by the reason
}

// Shares tells what the workers did. whole is how many nodes there are.
func (o *Outcome) Shares(p Parameters, whole int64) Shares {
	all := float64(p.Workers) * float64(o.Time)
	part := func(d time.Duration) float64 { return float64(d) / all }
	return Shares{
		Useful:      part(time.Duration(whole) * p.Node),
		Superfluous: part(time.Duration(max(0, o.Explored-whole)) * p.Node),
		Records:     part(o.spent[appending]), Parcels: part(o.spent[handing] + o.spent[replaying]),
		HandOut: part(o.lack[handOut]), Hints: part(o.lack[hints]), Chains: part(o.lack[chains]),
		Tail: part(o.lack[tail]),
	}
}

// Starving is the part of their time for which workers have no parcel.
func (s *Shares) Starving() float64 { return s.HandOut + s.Hints + s.Chains + s.Tail }

// Limit names what limits a search.
func (o *Outcome) Limit(p Parameters, whole int64) Limit {
	s := o.Shares(p, whole)
	switch {
	case s.Useful >= 0.5:
		return ByWork
	case o.Server >= o.Time*4/5:
		return ByServer
	case o.Folding >= o.Time*4/5:
		return ByFold
	case o.Joining >= o.Time*4/5:
		return ByJoining
	}
	limit, most := ByWork, 0.0
	for _, c := range []struct {
		limit Limit
		part  float64
	}{{ByRecords, s.Records}, {ByParcels, s.Parcels}, {ByHandOut, s.HandOut}, {ByHints, s.Hints}, {ByChains, s.Chains},
		{ByTail, s.Tail}, {BySuperfluous, s.Superfluous}} {
		if c.part > most {
			limit, most = c.limit, c.part
		}
	}
	return limit
}

// Coordinating is how long the coordinator was busy with what kept it busy most.
func (o *Outcome) Coordinating() time.Duration { return max(o.Folding, o.Joining) }

// SpeedUp is how many times as fast the workers were as one that explores alone, without a server.
func (o *Outcome) SpeedUp(p Parameters, whole int64) float64 {
	return float64(time.Duration(whole)*p.Node) / float64(o.Time)
}
