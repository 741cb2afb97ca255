package main

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/viper"
)

type options struct {
	level   int
	exclude []string
}

func newRoot() *cobra.Command {
	var configFile string
	root := &cobra.Command{
		Use:           "backup",
		Short:         "Packs folders into archives",
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			return configure(configFile)
		},
	}
	root.PersistentFlags().StringVarP(&configFile, "config", "c", "", "configuration file")
	root.AddCommand(newPack(), newManual(root))
	root.SetHelpCommandGroupID("other")
	root.AddGroup(&cobra.Group{ID: "other", Title: "Other commands:"})
	return root
}

func configure(file string) error {
	settings := viper.GetViper()
	settings.SetEnvPrefix("backup")
	settings.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	settings.AutomaticEnv()
	if file == "" {
		return nil
	}
	settings.SetConfigFile(file)
	return settings.ReadInConfig()
}

func newPack() *cobra.Command {
	chosen := options{}
	command := &cobra.Command{
		Use:               "pack FOLDER ARCHIVE",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			count, err := pack(args[0], args[1], chosen)
			if err != nil {
				return fmt.Errorf("cannot pack %s: %w", args[0], err)
			}
			cmd.Printf("%d files\n", count)
			return nil
		},
	}
	flags := command.Flags()
	flags.IntVar(&chosen.level, "level", gzip.BestCompression, "how hard to try")
	flags.StringSliceVar(&chosen.exclude, "exclude", nil, "names to leave out")
	_ = viper.BindPFlag("level", flags.Lookup("level"))
	_ = command.MarkFlagDirname("exclude")
	return command
}

func newManual(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:    "manual FOLDER",
		Hidden: true,
		Args:   cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(_ *cobra.Command, args []string) error {
			header := &doc.GenManHeader{Title: "BACKUP", Section: "1"}
			return doc.GenManTree(root, header, args[0])
		},
	}
}

func pack(folder, archive string, chosen options) (count int, err error) {
	out, err := os.Create(archive)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	zipped, err := gzip.NewWriterLevel(out, chosen.level)
	if err != nil {
		return 0, err
	}
	zipped.Name = filepath.Base(archive)
	packed := tar.NewWriter(zipped)
	walk := func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		header, err := tar.FileInfoHeader(info, "")
		if err != nil {
			return err
		}
		header.Name = filepath.ToSlash(path)
		if err := packed.WriteHeader(header); err != nil {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(packed, file)
		count++
		return err
	}
	if err := filepath.WalkDir(folder, walk); err != nil {
		return count, err
	}
	if err := packed.Close(); err != nil {
		return count, err
	}
	return count, zipped.Close()
}

func main() {
	if err := newRoot().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
