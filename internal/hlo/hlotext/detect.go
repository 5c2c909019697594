package hlotext

// Detect reports whether src looks like HLO text rather than MLIR: it begins with HloModule, ENTRY, a computation
// or an instruction.
func Detect(src []byte) (ok bool) {
	p := &parser{scanner: scanner{src: src, line: 1}}
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(bail); !is {
				panic(r)
			}
			ok = false
		}
	}()
	if len(src) > 1 && src[0] == '#' && src[1] != ' ' {
		return false // an alias of MLIR
	}
	if p.keyword("HloModule") || p.keyword("ENTRY") || p.keyword("ROOT") {
		return true
	}
	if p.atShape() {
		return p.peek() != '('
	}
	percent := p.accept('%')
	w := p.word()
	switch w {
	case "", "module", "func.func", "func", "builtin.module":
		return percent && w != ""
	}
	switch p.peek() {
	case '{', '(':
		return true
	case '=':
		p.pos++
		return p.atShape()
	}
	return false
}
