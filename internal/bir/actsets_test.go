package bir

import "testing"

// TestActSets: every function that needs a table is in some set, names are unique.
func TestActSets(t *testing.T) {
	for f := ActIdentity; f < ActUnknown; f++ {
		found := f.Hardwired()
		for i := range ActSets {
			found = found || ActSets[i].Has(f)
		}
		if !found {
			t.Errorf("%v is in no set", f)
		}
	}
	for i, s := range ActSets {
		if FindActSet(s.Name) != &ActSets[i] {
			t.Errorf("set name %q is not unique", s.Name)
		}
	}
}
