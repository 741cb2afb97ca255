// What `go doc -all` says of the packages of a module, one JSON object for each public name.
//
//	go run reference.go MODULE
//
// Public is what `go doc` prints: exported names of packages that others can import, with the
// exported fields and methods of their types. It is run for Linux; what it prints only for macOS or
// Windows is known, but nobody on Linux would miss it. Comments are left out, and each constant or
// variable of a group is a line of its own, with the type and value that it repeats from the lines
// above if those are printed.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"strings"
)

type row struct {
	Module     string   `json:"module"`
	Path       string   `json:"path"`
	Also       []string `json:"also"`
	Kind       string   `json:"kind"`
	Signatures []string `json:"signatures"`
	Parameters []string `json:"parameters"`
	Required   bool     `json:"required"`
}

var (
	output = json.NewEncoder(os.Stdout)
	known  = map[string]bool{}
)

func main() {
	output.SetEscapeHTML(false)
	module := os.Args[1]
	files := map[string]string{}
	for i, system := range []string{"linux", "darwin", "windows"} {
		architecture := "amd64"
		if system == "darwin" {
			architecture = "arm64"
		}
		environment := append(os.Environ(), "GOOS="+system, "GOARCH="+architecture, "CGO_ENABLED=1")
		format := "{{if .Module}}{{.Module.Path}}{{end}} {{.ImportPath}} {{.Name}} {{.GoFiles}}{{.CgoFiles}}"
		for _, line := range strings.Split(run(environment, "list", "-find", "-e", "-f", format, module+"/..."), "\n") {
			words := strings.SplitN(line, " ", 4)
			if len(words) < 4 || words[0] != module || words[2] == "main" || words[2] == "" {
				continue
			}
			if strings.Contains("/"+words[1]+"/", "/internal/") || words[3] == "[][]" || files[words[1]] == words[3] {
				continue
			}
			if files[words[1]] == "" {
				files[words[1]] = words[3]
			}
			read(words[1], run(environment, "doc", "-all", words[1]), i == 0)
		}
	}
}

func run(environment []string, arguments ...string) string {
	command := exec.Command("go", arguments...)
	command.Env = environment
	said, err := command.Output()
	if err != nil && len(said) == 0 {
		fmt.Fprintln(os.Stderr, "go", strings.Join(arguments, " "), err)
	}
	return string(said)
}

// read takes the text about one package apart: declarations stand at the beginning of a line, and
// what is said of them is indented with spaces.
func read(path, text string, required bool) {
	begun := false
	var declaration strings.Builder
	for _, line := range strings.Split(text, "\n") {
		if !begun {
			begun = line == "CONSTANTS" || line == "VARIABLES" || line == "FUNCTIONS" || line == "TYPES"
			continue
		}
		if declaration.Len() == 0 {
			word, _, _ := strings.Cut(line, " ")
			if word != "const" && word != "var" && word != "func" && word != "type" {
				continue
			}
		}
		declaration.WriteString(line + "\n")
		if complete(declaration.String()) {
			declare(path, declaration.String(), required)
			declaration.Reset()
		}
	}
}

// complete tells whether every bracket is closed and the last line ends a declaration.
func complete(text string) bool {
	var s scanner.Scanner
	files := token.NewFileSet()
	depth, ended, broken := 0, false, false
	// A string over several lines is not closed on the first.
	failed := func(token.Position, string) { broken = true }
	s.Init(files.AddFile("", files.Base(), len(text)), []byte(text), failed, 0)
	for {
		_, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return depth == 0 && ended && !broken
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
		ended = tok == token.SEMICOLON && literal == "\n"
	}
}

func declare(path, text string, required bool) {
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, "", "package p\n"+text, parser.SkipObjectResolution)
	if file == nil || len(file.Decls) != 1 {
		fmt.Fprintf(os.Stderr, "%s: not understood: %s\n", path, text)
		return
	}
	show := func(node any) string {
		var out bytes.Buffer
		if err := printer.Fprint(&out, files, node); err != nil {
			return ""
		}
		return out.String()
	}
	write := func(name, kind, signature string) {
		if known[path+" "+name] {
			return
		}
		known[path+" "+name] = true
		signatures := []string{}
		if signature != "" {
			signatures = append(signatures, signature)
		}
		output.Encode(row{path, name, []string{}, kind, signatures, nil, required})
	}
	switch d := file.Decls[0].(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		kind := "function"
		if d.Recv != nil && len(d.Recv.List) == 1 {
			name, kind = base(d.Recv.List[0].Type)+"."+name, "method"
		}
		write(name, kind, show(d))
	case *ast.GenDecl:
		var typ ast.Expr
		var values []ast.Expr
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				write(s.Name.Name, "type", "type "+show(s))
				members(s, show, write)
			case *ast.ValueSpec:
				if len(s.Values) > 0 || d.Tok == token.VAR {
					typ, values = s.Type, s.Values
				} else if s.Type != nil {
					// The type is printed in place of lines that are not.
					typ, values = s.Type, nil
				}
				constants(d.Tok, s, typ, values, show, write)
			}
		}
	}
}

func constants(tok token.Token, s *ast.ValueSpec, typ ast.Expr, values []ast.Expr, show func(any) string, write func(string, string, string)) {
	for i, name := range s.Names {
		if !name.IsExported() {
			continue
		}
		kind := ""
		if typ != nil {
			kind = " " + show(typ)
		}
		signature := tok.String() + " " + name.Name + kind
		switch {
		case len(values) == len(s.Names):
			signature += " = " + show(values[i])
		case len(values) > 0:
			signature = tok.String() + " " + show(s)
		case tok == token.CONST:
			signature = ""
		}
		write(name.Name, tok.String(), signature)
	}
}

func members(s *ast.TypeSpec, show func(any) string, write func(string, string, string)) {
	var list *ast.FieldList
	switch t := s.Type.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	for _, field := range list.List {
		tag := ""
		if field.Tag != nil {
			tag = " " + field.Tag.Value
		}
		for _, name := range field.Names {
			signature, kind := name.Name+" "+show(field.Type)+tag, "field"
			if f, ok := field.Type.(*ast.FuncType); ok {
				if _, ok := s.Type.(*ast.InterfaceType); ok {
					signature, kind = name.Name+strings.TrimPrefix(show(f), "func"), "method"
				}
			}
			write(s.Name.Name+"."+name.Name, kind, signature)
		}
		if _, ok := s.Type.(*ast.StructType); ok && len(field.Names) == 0 {
			if name := base(field.Type); name != "" {
				write(s.Name.Name+"."+name, "field", show(field.Type)+tag)
			}
		}
	}
}

// base is the name of the type that an expression is about.
func base(x ast.Expr) string {
	switch t := x.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.SelectorExpr:
		return t.Sel.Name
	case *ast.StarExpr:
		return base(t.X)
	case *ast.ParenExpr:
		return base(t.X)
	case *ast.IndexExpr:
		return base(t.X)
	case *ast.IndexListExpr:
		return base(t.X)
	}
	return ""
}
