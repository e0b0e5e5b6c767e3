package archtest

import "go/ast"

// childrenAreTold checks that each function which makes a command says what environment it gets:
// without a word it would be all, with every key in it.
func childrenAreTold(t *tree) (found []string) {
	for _, f := range t.gos {
		if f.test || within(f.dir, "testkit") || within(f.dir, "runtime/internal") ||
			within(f.dir, "hardware/hardwaretest") {
			continue
		}
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			var command ast.Node
			told := false
			ast.Inspect(fn, func(n ast.Node) bool {
				made, typed := n.(*ast.CompositeLit)
				at := n
				if typed {
					at = made.Type
				}
				pkg, name, ok := f.imported(at)
				if ok && pkg == "os/exec" && (name == "Command" || name == "CommandContext" || typed && name == "Cmd") {
					command = n
				}
				if id, ok := n.(*ast.Ident); ok && id.Name == "Env" {
					told = true
				}
				return true
			})
			if command != nil && !told {
				found = append(found, t.at(command)+": a command without an environment gets every key of this one: "+
					"set Env to hardware.ChildEnv(os.Environ())")
			}
		}
	}
	return found
}
