package eval

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// grid is a run of interpreter.run_parallel: processes that exchange values. Processes meet at collectives; when
// every live process waits for another one, none can go on and all fail.
type grid struct {
	replicas, partitions int
	infeed               [][]Val // values handed out in order

	mu      sync.Mutex
	wake    *sync.Cond
	meets   map[string]*meeting
	sent    map[string][]Val
	active  int            // processes that neither wait nor have ended
	waiting []*func() bool // what each waiting process waits for
	err     error
}

// meeting gathers the operands of one collective, by process.
type meeting struct {
	in   map[id][]Val
	done bool
}

// id names a process of the grid.
type id struct{ replica, partition int }

// process is one process of a grid.
type process struct {
	id
	g     *grid
	count map[string]int // how often this process took part in a collective
}

// self returns the process a machine runs as; outside of run_parallel it is alone.
func (m *machine) self() *process {
	if m.rank == nil {
		m.rank = newGrid(1, 1).process(id{})
	}
	return m.rank
}

func newGrid(replicas, partitions int) *grid {
	g := &grid{replicas: replicas, partitions: partitions, meets: map[string]*meeting{}, sent: map[string][]Val{}, active: replicas * partitions}
	g.wake = sync.NewCond(&g.mu)
	return g
}

func (g *grid) process(i id) *process { return &process{id: i, g: g, count: map[string]int{}} }

// wait blocks until ready holds, with mu held. It fails when the grid does or nobody is left to make it hold.
func (g *grid) wait(o *hlo.Op, ready func() bool) error {
	g.active--
	g.waiting = append(g.waiting, &ready)
	defer func() {
		g.active++
		g.waiting = slices.DeleteFunc(g.waiting, func(f *func() bool) bool { return f == &ready })
	}()
	for !ready() {
		if g.stuck() && g.err == nil {
			g.err = errf(o, CodeParallel, "every process waits for another one")
			g.wake.Broadcast()
		}
		if g.err != nil {
			return g.err
		}
		g.wake.Wait()
	}
	return nil
}

// stuck reports whether nobody can make anything happen any more: a woken process that has not run yet counts as
// able to, because what it waits for holds.
func (g *grid) stuck() bool {
	return g.active == 0 && !slices.ContainsFunc(g.waiting, func(f *func() bool) bool { return (*f)() })
}

// leave ends a process; the others fail if it failed, or look again whether they can go on.
func (g *grid) leave(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.active--
	if g.err == nil {
		g.err = err
	}
	g.wake.Broadcast()
}

// exchange waits until all processes of group have brought operands under the same key, and returns these in order.
func (p *process) exchange(o *hlo.Op, group []id, in []Val) ([][]Val, error) {
	for _, q := range group {
		if q.replica < 0 || q.replica >= p.g.replicas || q.partition < 0 || q.partition >= p.g.partitions {
			return nil, errf(o, CodeParallel, "the groups name replica %d, partition %d; the program runs as %d replicas of %d partitions",
				q.replica, q.partition, p.g.replicas, p.g.partitions)
		}
	}
	what := fmt.Sprintf("%s %d %v", o.Name(), channel(o), group)
	key := fmt.Sprintf("%s #%d", what, p.count[what])
	p.count[what]++
	g := p.g
	g.mu.Lock()
	defer g.mu.Unlock()
	mt := g.meets[key]
	if mt == nil {
		mt = &meeting{in: map[id][]Val{}}
		g.meets[key] = mt
	}
	mt.in[p.id] = in
	if len(mt.in) == len(group) {
		mt.done = true
		delete(g.meets, key)
		g.wake.Broadcast()
	} else if err := g.wait(o, func() bool { return mt.done }); err != nil {
		return nil, err
	}
	out := make([][]Val, len(group))
	for i, q := range group {
		out[i] = mt.in[q]
	}
	return out, nil
}

func init() {
	register("stablehlo.replica_id", func(m *machine, _ *hlo.Op, _ []Val) ([]Val, error) {
		return one(fromInts(dtype.U32, nil, []int64{int64(m.self().replica)})), nil
	})
	register("stablehlo.partition_id", func(m *machine, _ *hlo.Op, _ []Val) ([]Val, error) {
		return one(fromInts(dtype.U32, nil, []int64{int64(m.self().partition)})), nil
	})
	register("interpreter.run_parallel", runParallel)
	register("stablehlo.infeed", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		g := m.self().g
		g.mu.Lock()
		defer g.mu.Unlock()
		if len(g.infeed) == 0 {
			return nil, errf(o, CodeParallel, "nothing is fed to the program")
		}
		v := g.infeed[0]
		g.infeed = g.infeed[1:]
		if len(v) != len(o.Results)-1 {
			return nil, errf(o, CodeParallel, "%d values are fed, the op has %d results", len(v), len(o.Results)-1)
		}
		return append(slices.Clone(v), in[0]), nil
	})
	register("stablehlo.outfeed", func(_ *machine, _ *hlo.Op, _ []Val) ([]Val, error) { return []Val{{Token: true}}, nil })
	register("stablehlo.send", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		p := m.self()
		p.g.mu.Lock()
		defer p.g.mu.Unlock()
		for _, to := range p.peers(o, 0) {
			p.g.sent[p.mailbox(o, p.id, to)] = in[:len(in)-1]
		}
		p.g.wake.Broadcast()
		return []Val{{Token: true}}, nil
	})
	register("stablehlo.recv", func(m *machine, o *hlo.Op, _ []Val) ([]Val, error) {
		p := m.self()
		from := p.peers(o, 1)
		if len(from) != 1 {
			return nil, errf(o, CodeParallel, "%d processes send to this one, must be 1", len(from))
		}
		p.g.mu.Lock()
		defer p.g.mu.Unlock()
		key := p.mailbox(o, from[0], p.id)
		if err := p.g.wait(o, func() bool { return p.g.sent[key] != nil }); err != nil {
			return nil, err
		}
		v := p.g.sent[key]
		delete(p.g.sent, key)
		return append(slices.Clone(v), Val{Token: true}), nil
	})
}

func (p *process) mailbox(o *hlo.Op, from, to id) string {
	return fmt.Sprintf("%d %v %v", channel(o), from, to)
}

// peers lists the processes this one exchanges with by source_target_pairs: its targets (side 0) or its sources
// (side 1). Without pairs it is its own peer.
func (p *process) peers(o *hlo.Op, side int) []id {
	pairs, ok := o.Ints("source_target_pairs")
	if !ok || len(pairs) == 0 {
		return []id{p.id}
	}
	var out []id
	for i := 0; i+1 < len(pairs); i += 2 {
		pair := [2]id{p.at(o, pairs[i]), p.at(o, pairs[i+1])}
		if pair[side] == p.id {
			out = append(out, pair[1-side])
		}
	}
	return out
}

// at is the process with number n in the dimension pairs count: replicas without a channel, partitions with one.
func (p *process) at(o *hlo.Op, n int64) id {
	if channel(o) > 0 {
		return id{p.replica, int(n)}
	}
	return id{int(n), p.partition}
}

func channel(o *hlo.Op) int64 {
	ch, _ := o.Attrs.Get("channel_handle").(hlo.ChannelHandle)
	return ch.Handle
}

// runParallel runs one function a process. Operands are dealt out in order of the programs, results collected so.
func runParallel(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
	rows, ok := o.Attrs.Get("programs").(hlo.ArrayAttr)
	if !ok || len(rows.Elems) == 0 {
		return nil, errf(o, CodeParallel, "programs must be a list of lists of functions")
	}
	var fns []*hlo.Func
	partitions := -1
	for _, r := range rows.Elems {
		row, ok := r.(hlo.ArrayAttr)
		if !ok || partitions >= 0 && len(row.Elems) != partitions {
			return nil, errf(o, CodeParallel, "programs must be a list of equally long lists of functions")
		}
		partitions = len(row.Elems)
		for _, s := range row.Elems {
			f, err := m.symbol(o, s)
			if err != nil {
				return nil, err
			}
			fns = append(fns, f)
		}
	}
	params := 0
	for _, f := range fns {
		params += len(f.Params)
	}
	if params != len(in) {
		return nil, errf(o, CodeParallel, "the programs take %d operands together, there are %d", params, len(in))
	}
	g := newGrid(len(rows.Elems), partitions)
	if feed, ok := o.Attrs.Get("infeed").(hlo.ArrayAttr); ok {
		for _, s := range feed.Elems {
			f, err := m.symbol(o, s)
			if err != nil {
				return nil, err
			}
			v, err := m.call(f, nil)
			if err != nil {
				return nil, err
			}
			g.infeed = append(g.infeed, v)
		}
	}
	ctx, cancel := context.WithCancel(m.ctx)
	defer cancel()
	outs, probes := make([][]Val, len(fns)), make([]map[string][]*tensor.Tensor, len(fns))
	errs := make([]error, len(fns))
	var wg sync.WaitGroup
	for i, f := range fns {
		args := in[:len(f.Params)]
		in = in[len(f.Params):]
		sub := &machine{ctx: ctx, mod: m.mod, opt: m.opt, probes: map[string][]*tensor.Tensor{}, depth: m.depth,
			rank: g.process(id{i / partitions, i % partitions})}
		// Checks inside of a process fail it: their order would depend on the schedule.
		sub.opt.Checks = nil
		probes[i] = sub.probes
		wg.Go(func() {
			outs[i], errs[i] = sub.call(f, args)
			g.leave(errs[i])
		})
	}
	wg.Wait()
	if g.err != nil {
		return nil, g.err
	}
	var res []Val
	for i := range outs {
		if errs[i] != nil {
			return nil, errs[i]
		}
		res = append(res, outs[i]...)
		for k, v := range probes[i] {
			m.probes[k] = append(m.probes[k], v...)
		}
	}
	return res, nil
}

// symbol finds the function an attribute names.
func (m *machine) symbol(o *hlo.Op, a hlo.Attr) (*hlo.Func, error) {
	s, ok := a.(hlo.SymbolAttr)
	if !ok || len(s.Path) == 0 {
		return nil, errf(o, CodeParallel, "programs must be names of functions")
	}
	mod := m.mod
	for _, n := range s.Path[:len(s.Path)-1] {
		i := slices.IndexFunc(mod.Subs, func(x *hlo.Module) bool { return x.Name == n })
		if i < 0 {
			return nil, errf(o, CodeNoFunc, "there is no module @%s", n)
		}
		mod = mod.Subs[i]
	}
	name := s.Path[len(s.Path)-1]
	f := mod.Func(name)
	if f == nil {
		// A program may be a module: then its entry runs.
		if i := slices.IndexFunc(mod.Subs, func(x *hlo.Module) bool { return x.Name == name }); i >= 0 {
			f = mod.Subs[i].Entry()
		}
	}
	if f == nil || f.Body == nil {
		return nil, errf(o, CodeNoFunc, "there is no function @%s", name)
	}
	return f, nil
}
