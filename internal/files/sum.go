package files

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ContentSum tells files of different content apart, and with folders also folders of files; it is
// empty for other names. Pipes are refused: what they hold is gone when a run goes on.
func ContentSum(path string, folders bool) (sum string, err error) {
	info, err := os.Stat(path)
	switch {
	case path == "" || err != nil || info.IsDir() && !folders:
		return "", nil
	case !info.IsDir() && !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no file, and --state must read it again", path)
	}
	if sum, err = pathSum(path, info); err != nil {
		return "", err
	}
	return " with content " + sum, nil
}

func fileSum(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:8]), nil
}

// pathSum is fileSum, of a folder that of its files' names and contents.
func pathSum(path string, info os.FileInfo) (string, error) {
	if !info.IsDir() {
		return fileSum(path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", err
	}
	all := sha256.New()
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		sum, err := fileSum(filepath.Join(path, entry.Name()))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%q %s\n", entry.Name(), sum)
	}
	return fmt.Sprintf("%x", all.Sum(nil)[:8]), nil
}
