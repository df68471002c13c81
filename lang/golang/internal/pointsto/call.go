package pointsto

import "golang.org/x/tools/go/ssa"

// call makes the constraints of a call, go or defer.
func (s *solver) call(in *Instance, site ssa.CallInstruction) {
	common := site.Common()
	if common.IsInvoke() {
		s.wait(s.row(in, common.Value), invoke{in, site})
		return
	}
	switch fn := common.Value.(type) {
	case *ssa.Builtin:
		s.builtin(in, site, fn)
	case *ssa.Function:
		if AssignsError(common) {
			s.wait(s.row(in, common.Args[1]), assign{s.row(in, common.Args[0])})
		}
		callee, tooDeep := s.enter(in, site, fn)
		s.addCallee(in, site, Callee{Instance: callee, Func: fn, TooDeep: tooDeep})
	default:
		s.wait(s.row(in, fn), dynamic{in, site})
	}
}

func (s *solver) addCallee(in *Instance, site ssa.CallInstruction, c Callee) {
	in.calls[site] = append(in.calls[site], c)
}

// passArguments connects the parameters and results of a new instance with its call, but for the receiver of a method
// called through an interface.
func (s *solver) passArguments(callee *Instance) {
	common := callee.Site.Common()
	params := callee.Func.Params
	if common.IsInvoke() {
		params = params[1:]
	}
	for i, p := range params {
		s.copyRow(s.row(callee, p), s.row(callee.Caller, common.Args[i]), s.width(p.Type()))
	}
	if call, ok := callee.Site.(*ssa.Call); ok {
		s.copyRow(s.row(callee.Caller, call), callee.first+callee.words.results, s.width(call.Type()))
	}
}

// passReceiver gives the contents of an interface to a method.
func (s *solver) passReceiver(callee *Instance, p *part) {
	recv := callee.Func.Params[0]
	s.copyRow(s.row(callee, recv), p.first, s.width(recv.Type()))
}

// passCaptured gives the variables that a closure has captured to its function.
func (s *solver) passCaptured(callee *Instance, closure *Object) {
	word := closure.root.first
	for _, v := range callee.Func.FreeVars {
		n := s.width(v.Type())
		s.copyRow(s.row(callee, v), word, n)
		word += int32(n)
	}
}

// AssignsError reports whether a call stores its first operand where the second one, an interface, points to, if it is
// of that type: the function by which the model of package errors does so.
func AssignsError(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	return fn != nil && fn.Blocks == nil && fn.Name() == "assign" && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "errors"
}
