package driver

import (
	"fmt"
	"strings"

	"github.com/alcadev/alca/internal/diag"
)

// Explain prints what is known about a diagnostic code, or lists all codes.
func Explain(e *Env, code string) error {
	if strings.EqualFold(code, "list") {
		for _, i := range diag.Codes() {
			fmt.Fprintf(e.Out, "%s  %s\n", i.Code, i.Title)
		}
		return nil
	}
	code = strings.ToUpper(strings.Trim(code, "[]"))
	i, ok := diag.LookupCode(code)
	if !ok {
		if fam := diag.Families[code[:min(3, len(code))]]; fam != "" && len(code) >= 6 {
			return diag.Errorf("DRV022", diag.Loc{}, "no code %s; codes that begin with %s belong to: %s", code, code[:3], fam).
				WithHint("`alca explain list` lists the codes")
		}
		return diag.Errorf("DRV022", diag.Loc{}, "%q is no diagnostic code", code).WithHint("codes look like HLO005; `alca explain list` lists them")
	}
	fmt.Fprintf(e.Out, "%s: %s\n", i.Code, i.Title)
	if i.Alias != "" {
		fmt.Fprintf(e.Out, "The vendor's code for it is %s.\n", i.Alias)
	}
	if i.Text != "" {
		fmt.Fprintf(e.Out, "\n%s\n", i.Text)
	}
	fmt.Fprintf(e.Out, "\nFamily %s: %s.\n", i.Code[:3], diag.Families[i.Code[:3]])
	return nil
}
