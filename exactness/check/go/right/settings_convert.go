package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
	"gopkg.in/yaml.v3"
)

type server struct {
	Host string `toml:"host" yaml:"host" json:"host"`
	Port uint16 `toml:"port" yaml:"port" json:"port"`
}

type settings struct {
	Name    string            `toml:"name" yaml:"name" json:"name"`
	Servers map[string]server `toml:"servers" yaml:"servers" json:"servers"`
	Extra   yaml.Node         `toml:"-" yaml:"extra" json:"-"`
}

func (s *settings) readTOML(path string) error {
	meta, err := toml.DecodeFile(path, s)
	var wrong toml.ParseError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s:%d: %s", path, wrong.Position.Line, wrong.ErrorWithPosition())
	}
	if err != nil {
		return err
	}
	if left := meta.Undecoded(); len(left) > 0 {
		return fmt.Errorf("%s: unknown key %s", path, left[0].String())
	}
	if !meta.IsDefined("name") {
		return errors.New("it has no name")
	}
	return nil
}

func (s *settings) readYAML(input io.Reader) error {
	decoder := yaml.NewDecoder(input)
	decoder.KnownFields(true)
	err := decoder.Decode(s)
	var wrong *yaml.TypeError
	if errors.As(err, &wrong) {
		return errors.New(strings.Join(wrong.Errors, "; "))
	}
	if s.Extra.Kind == yaml.MappingNode && s.Extra.Line > 0 {
		s.Extra.HeadComment = "kept as it was"
	}
	return err
}

func (s *settings) write(format string) ([]byte, error) {
	var out bytes.Buffer
	switch format {
	case "toml":
		encoder := toml.NewEncoder(&out)
		encoder.Indent = "\t"
		return out.Bytes(), encoder.Encode(s)
	case "yaml":
		encoder := yaml.NewEncoder(&out)
		encoder.SetIndent(2)
		if err := encoder.Encode(s); err != nil {
			return nil, err
		}
		return out.Bytes(), encoder.Close()
	default:
		encoder := json.NewEncoder(&out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		err := encoder.Encode(s)
		return out.Bytes(), err
	}
}

func main() {
	to := flag.String("to", "json", "json, toml or yaml")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: %s [-to FORMAT] FILE\n", os.Args[0])
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	path := flag.Arg(0)
	var all settings
	var err error
	if filepath.Ext(path) == ".toml" {
		err = all.readTOML(path)
	} else {
		file, failed := os.Open(path)
		if failed != nil {
			fmt.Fprintln(os.Stderr, failed)
			os.Exit(1)
		}
		defer file.Close()
		err = all.readYAML(file)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	text, err := all.write(*to)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, _ = os.Stdout.Write(text)
}
