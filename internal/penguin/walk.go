package penguin

// Walk calls f for every statement of body in program order, nested ones after the statement that holds them. The
// condition of a While comes before its body.
func Walk(body []Stmt, f func(Stmt)) {
	for _, s := range body {
		f(s)
		switch s := s.(type) {
		case *Loop:
			Walk(s.Body, f)
		case *While:
			Walk(s.Cond, f)
			Walk(s.Body, f)
		case *Scope:
			Walk(s.Body, f)
		case *Cluster:
			for _, in := range s.Ops {
				f(in)
			}
		}
	}
}

// Insts returns the instructions of body in program order.
func Insts(body []Stmt) []*Inst {
	var out []*Inst
	Walk(body, func(s Stmt) {
		if in, ok := s.(*Inst); ok {
			out = append(out, in)
		}
	})
	return out
}
