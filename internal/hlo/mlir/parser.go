package mlir

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
)

// Limits on what a source may ask for. They bound memory and stack, not usefulness.
const (
	maxSource   = 1 << 31 // bytes
	maxDepth    = 200     // nested regions, attributes and types
	maxRank     = 64
	maxElements = 1 << 33 // of one constant
	maxResults  = 1 << 16 // of one op
)

// parser is a recursive-descent parser with one token of look-ahead. Failure unwinds by panic to Parse.
type parser struct {
	lexer
	tok     token
	lastEnd int // end of the token before tok
	depth   int

	attrAliases map[string]hlo.Attr
	typeAliases map[string]hlo.Type
	locAliases  map[string]*location
	pendingLocs []pendingLoc
	pendingRes  []pendingResource
	resources   map[string]token

	funcs  map[*hlo.Module]map[string]*hlo.Func
	values map[string]*group // what %name means here
	undo   []string          // names in order of definition, to leave a scope
}

// group is what one %name stands for: the results of an op, or one block argument.
type group struct {
	vals []*hlo.Value
	at   int // offset of the definition
}

func newParser(src []byte, file string) *parser {
	return &parser{
		lexer:       lexer{src: src, file: file},
		attrAliases: map[string]hlo.Attr{},
		typeAliases: map[string]hlo.Type{},
		locAliases:  map[string]*location{},
		resources:   map[string]token{},
		funcs:       map[*hlo.Module]map[string]*hlo.Func{},
		values:      map[string]*group{},
	}
}

// Parse reads one module. Functions outside a module operation belong to an implicit module, as in MLIR.
// Every error is a *diag.Diagnostic whose position is in file.
func Parse(src []byte, file string) (m *hlo.Module, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case bailout:
			m, err = nil, r.d
		default:
			m, err = nil, diag.Internalf("HLO000", diag.Loc{File: file}, "parser failed: %v", r)
		}
	}()
	if err := checkText(src, file); err != nil {
		return nil, err
	}
	p := newParser(src, file)
	p.advance()
	m = p.topLevel()
	p.resolveLocs()
	p.resolveResources()
	return m, nil
}

// checkText rejects what is no module text before the grammar gets to see it, with a better message.
func checkText(src []byte, file string) error {
	loc := diag.Loc{File: file}
	switch {
	case len(bytes.TrimSpace(src)) == 0:
		return diag.Errorf("HLO003", loc, "the file is empty; a StableHLO module in text form is expected")
	case len(src) > maxSource:
		return diag.Errorf("HLO004", loc, "module text has %d bytes, more than %d", len(src), int64(maxSource))
	case bytes.HasPrefix(src, []byte("ML\xefR")):
		return diag.Errorf("HLO015", loc, "the file is MLIR bytecode, module text is expected")
	}
	head := src[:min(len(src), 4096)]
	if bytes.IndexByte(head, 0) >= 0 || !utf8.Valid(bytes.ToValidUTF8(head[:max(0, len(head)-4)], nil)) || countInvalid(head) > len(head)/20 {
		return diag.Errorf("HLO003", loc, "the file is binary; a StableHLO module in text form is expected")
	}
	return nil
}

func countInvalid(b []byte) int {
	n := 0
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 || r < ' ' && r != '\n' && r != '\t' && r != '\r' {
			n++
		}
		i += size
	}
	return n
}

// Token helpers.

func (p *parser) advance() {
	p.lastEnd = p.tok.end
	p.tok = p.next()
}

func (p *parser) isPunct(c byte) bool { return p.tok.kind == tPunct && p.tok.ch == c }

func (p *parser) accept(c byte) bool {
	if p.isPunct(c) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(c byte) {
	if !p.accept(c) {
		p.fail("HLO001", "expected %q, found %s", c, p.describe())
	}
}

func (p *parser) expectKind(k kind, what string) token {
	t := p.tok
	if t.kind != k {
		p.fail("HLO001", "expected %s, found %s", what, p.describe())
	}
	p.advance()
	return t
}

// word returns the text of the current token if it is a word, else "".
func (p *parser) word() string {
	if p.tok.kind == tWord {
		return p.text(p.tok)
	}
	return ""
}

func (p *parser) acceptWord(w string) bool {
	if p.tok.kind == tWord && string(p.src[p.tok.start:p.tok.end]) == w {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expectWord(w string) {
	if !p.acceptWord(w) {
		p.fail("HLO001", "expected '%s', found %s", w, p.describe())
	}
}

// describe names the current token for a message.
func (p *parser) describe() string {
	if p.tok.kind == tEOF {
		return "the end of the file"
	}
	s := p.src[p.tok.start:p.tok.end]
	if len(s) > 40 {
		return fmt.Sprintf("'%s...'", s[:37])
	}
	return fmt.Sprintf("'%s'", s)
}

// fail reports an error at the current token.
func (p *parser) fail(code, format string, args ...any) {
	bail(code, p.loc(p.tok.start), format, args...)
}

func (p *parser) failHint(code, hint, format string, args ...any) {
	d := diag.Errorf(code, p.loc(p.tok.start), format, args...)
	d.Hint = hint
	panic(bailout{d})
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail("HLO004", "nesting is more than %d deep", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

// int64 parses a signed integer.
func (p *parser) int64() int64 {
	neg := p.accept('-')
	if p.tok.kind != tInt {
		p.fail("HLO009", "expected an integer, found %s", p.describe())
	}
	lit := p.text(p.tok)
	if neg {
		lit = "-" + lit
	}
	v, err := strconv.ParseInt(lit, 0, 64)
	if err != nil {
		p.fail("HLO017", "%s does not fit 64 bits", lit)
	}
	p.advance()
	return v
}

// float64 parses a signed number.
func (p *parser) float64() float64 {
	neg := p.accept('-')
	if p.tok.kind != tInt && p.tok.kind != tFloat {
		p.fail("HLO009", "expected a number, found %s", p.describe())
	}
	f, err := strconv.ParseFloat(p.text(p.tok), 64)
	if err != nil {
		p.fail("HLO017", "%s does not fit f64", p.describe())
	}
	p.advance()
	if neg {
		f = -f
	}
	return f
}

// intList parses [1, 2, 3].
func (p *parser) intList() []int64 {
	p.expect('[')
	var v []int64
	for !p.isPunct(']') {
		v = append(v, p.int64())
		if !p.accept(',') {
			break
		}
	}
	p.expect(']')
	return v
}

func (p *parser) symbolName() string {
	if p.tok.kind != tAt {
		p.fail("HLO001", "expected a symbol name, found %s", p.describe())
	}
	s := p.src[p.tok.start+1 : p.tok.end]
	p.advance()
	if s[0] == '"' {
		return unquote(s)
	}
	return string(s)
}

// Module structure.

// topLevel parses aliases, modules, functions and file metadata up to the end of the file.
func (p *parser) topLevel() *hlo.Module {
	outer := &hlo.Module{Loc: p.loc(p.tok.start)}
	for p.tok.kind != tEOF {
		switch p.tok.kind {
		case tHash:
			p.attrAlias()
		case tBang:
			name := p.text(p.tok)
			p.advance()
			p.expect('=')
			p.typeAliases[name] = p.parseType()
		case tFileMeta:
			p.fileMetadata()
		default:
			p.moduleItem(outer)
		}
	}
	if len(outer.Funcs) == 0 && len(outer.Subs) == 1 {
		return outer.Subs[0]
	}
	if len(outer.Funcs) == 0 && len(outer.Subs) == 0 {
		bail("HLO003", p.loc(0), "the file holds no module and no function")
	}
	return outer
}

func (p *parser) attrAlias() {
	name := p.text(p.tok)[1:]
	p.advance()
	p.expect('=')
	if p.word() == "loc" {
		p.advance()
		p.expect('(')
		p.locAliases[name] = p.locationBody()
		p.expect(')')
		return
	}
	p.attrAliases[name] = p.parseAttr()
}

// moduleItem parses a function or a nested module, in pretty or generic form.
func (p *parser) moduleItem(m *hlo.Module) {
	p.enter()
	defer p.leave()
	start := p.tok.start
	switch {
	case p.tok.kind == tWord && (p.word() == "module" || p.word() == "builtin.module"):
		p.advance()
		m.Subs = append(m.Subs, p.module(start))
	case p.tok.kind == tWord && p.word() == "func.func":
		p.advance()
		p.addFunc(m, p.function(start), start)
	case p.tok.kind == tString:
		switch name := unquote(p.src[p.tok.start:p.tok.end]); name {
		case "builtin.module":
			p.advance()
			m.Subs = append(m.Subs, p.genericModule(start))
		case "func.func":
			p.advance()
			p.addFunc(m, p.genericFunction(start), start)
		default:
			p.failHint("HLO005", suggest(name, []string{"builtin.module", "func.func"}), "op %q cannot stand at module level", name)
		}
	case p.tok.kind == tWord && hlo.Lookup(p.word()) != nil:
		p.fail("HLO001", "op %s stands outside of a function", p.word())
	case p.tok.kind == tEOF:
		p.fail("HLO001", "expected '}' that closes the module, found the end of the file")
	default:
		p.failHint("HLO001", suggest(p.word(), []string{"module", "func.func"}), "expected module or func.func, found %s", p.describe())
	}
}

func (p *parser) addFunc(m *hlo.Module, f *hlo.Func, at int) {
	names := p.funcs[m]
	if names == nil {
		names = map[string]*hlo.Func{}
		p.funcs[m] = names
	}
	if old := names[f.Name]; old != nil {
		d := diag.Errorf("HLO007", p.loc(at), "function @%s is defined twice", f.Name).WithNote(old.Loc, "first defined here")
		panic(bailout{d})
	}
	m.Funcs = append(m.Funcs, f)
	names[f.Name] = f
}

// module parses what follows the keyword: [@name] [attributes {...}] { ... } [loc(...)].
func (p *parser) module(start int) *hlo.Module {
	m := &hlo.Module{Loc: p.loc(start)}
	if p.tok.kind == tAt {
		m.Name = p.symbolName()
	}
	if p.acceptWord("attributes") {
		m.Attrs = p.attrDict()
	}
	p.expect('{')
	for !p.isPunct('}') {
		p.moduleItem(m)
	}
	p.advance()
	p.skipTrailingLoc()
	return m
}

// genericModule parses what follows "builtin.module": () <{props}> ({ ... }) {attrs} : () -> ().
func (p *parser) genericModule(start int) *hlo.Module {
	m := &hlo.Module{Loc: p.loc(start)}
	p.expect('(')
	p.expect(')')
	attrs := p.optProps()
	p.expect('(')
	p.expect('{')
	if p.tok.kind == tCaret {
		p.advance()
		p.expect(':')
	}
	for !p.isPunct('}') {
		p.moduleItem(m)
	}
	p.advance()
	p.expect(')')
	attrs = append(attrs, p.optAttrDict()...)
	p.expect(':')
	p.typeListParen()
	p.expectKind(tArrow, "'->'")
	p.resultTypes()
	p.skipTrailingLoc()
	m.Name = takeString(&attrs, "sym_name")
	m.Attrs = attrs
	return m
}

func takeString(as *hlo.Attrs, name string) string {
	s, ok := as.Get(name).(hlo.StringAttr)
	if !ok {
		return ""
	}
	as.Delete(name)
	return s.Value
}

// optProps parses <{...}> if it is there.
func (p *parser) optProps() hlo.Attrs {
	if !p.isPunct('<') {
		return nil
	}
	p.advance()
	as := p.attrDict()
	p.expect('>')
	return as
}

// suggest returns a did-you-mean hint if a candidate is close to name.
func suggest(name string, candidates []string) string {
	if name == "" {
		return ""
	}
	// The dialect is not what is misspelt, so it does not make up for other letters.
	local := name[strings.LastIndexByte(name, '.')+1:]
	best, bestD := "", max(2, len(local)/3+1)
	for _, c := range candidates {
		if d := editDistance(name, c); d < bestD || d == bestD && c < best {
			best, bestD = c, d
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + best + "?"
}

// editDistance is Levenshtein's distance.
func editDistance(a, b string) int {
	if abs := len(a) - len(b); abs > 8 || abs < -8 || len(a) > 80 {
		return 1 << 20
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		prev := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := prev
			if a[i-1] != b[j-1] {
				cost = 1 + min(prev, row[j], row[j-1])
			}
			prev, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}

// Part is one module of a file split at lines that begin with "// -----". Positions count
// from the start of the file. A part that holds nothing but comments is skipped.
type Part struct {
	Src       []byte // the text, blank lines in front of it included so that positions are those of the file
	Module    *hlo.Module
	Err       error
	FirstLine int
}

// ParseSplit splits src and parses every part on its own.
func ParseSplit(src []byte, file string) []Part {
	var parts []Part
	for _, s := range Split(src) {
		pt := Part{Src: s.Src, FirstLine: s.FirstLine}
		pt.Module, pt.Err = Parse(s.Src, file)
		parts = append(parts, pt)
	}
	return parts
}

// Split separates src at "// -----" lines without parsing.
func Split(src []byte) []Part {
	var parts []Part
	line, start, startLine := 1, 0, 1
	flush := func(end int) {
		if body := src[start:end]; hasCode(body) || len(parts) == 0 && end == len(src) {
			padded := append(bytes.Repeat(nl, startLine-1), body...)
			parts = append(parts, Part{Src: padded, FirstLine: startLine})
		}
	}
	for off := 0; off < len(src); {
		n := bytes.IndexByte(src[off:], '\n')
		if n < 0 {
			n = len(src) - off
		} else {
			n++
		}
		if bytes.HasPrefix(src[off:], []byte("// -----")) {
			flush(off)
			start, startLine = off+n, line+1
		}
		off += n
		line++
	}
	flush(len(src))
	return parts
}

func hasCode(b []byte) bool {
	for _, l := range bytes.Split(b, nl) {
		if s := strings.TrimSpace(string(l)); s != "" && !strings.HasPrefix(s, "//") {
			return true
		}
	}
	return false
}
