package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed all:demo
var demoVault embed.FS

// demoFolder copies the sample vault into the data folder, if it is not there yet, and returns its path. What a person or an agent
// changed in it stays.
func demoFolder(data string) (string, error) {
	dir := filepath.Join(data, "demo")
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("look for the sample vault: %w", err)
	}
	sample, err := fs.Sub(demoVault, "demo")
	if err != nil {
		return "", fmt.Errorf("open the sample vault: %w", err)
	}
	// Under another name first: a copy that was cut short must not look like one that a person changed.
	half := dir + ".part"
	if err := os.RemoveAll(half); err != nil {
		return "", fmt.Errorf("clear a sample vault that was cut short: %w", err)
	}
	if err := os.CopyFS(half, sample); err != nil {
		return "", fmt.Errorf("copy the sample vault: %w", err)
	}
	return dir, os.Rename(half, dir)
}
