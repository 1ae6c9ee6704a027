package feedback

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"
)

// Journal keeps the outcome of every step of a run in a file as soon as the step is done, so that a
// run that was ended at any moment can be continued. The search is deterministic: it repeats the
// same steps, and reads their outcomes instead of computing them again.
//
// The file has a line that names the format, the identity of the run, and records of length,
// checksum (CRC-32, IEEE) and content. A record that is cut short or has another checksum is
// dropped, with all records behind it.
type Journal struct {
	file *os.File
	// next is the offset of the record of the next step.
	next int64
	// known is how many records there are from there on.
	known int
}

const journalMark = "remap state 1\n"

var (
	// ErrOtherRun is in the chain of the error of OpenJournal when the file is that
	// of a run with another identity.
	ErrOtherRun = errors.New("the state is that of another run")
	// ErrBusy is in the chain of the error of OpenJournal when another process has the journal open.
	ErrBusy = errors.New("another run is writing this state")
	// ErrState is in the chain of the error of Optimize when a step was done and
	// could not be kept, as on a full disk.
	ErrState = errors.New("the state cannot be kept")
)

// OpenJournal opens the journal of a run, or begins it. identity is lines of text with everything
// that the outcomes depend on. Errors: the file cannot be read or written, is no journal, ErrBusy,
// or ErrOtherRun with the first line that differs. Where the file system has no locks, two
// processes may write to one file.
func OpenJournal(path, identity string) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: file}
	if err = lock(file); err == nil {
		err = j.begin(identity)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return j, nil
}

// begin reads or writes the head and counts the complete records.
func (j *Journal) begin(identity string) error {
	head := []byte(journalMark)
	head = binary.BigEndian.AppendUint32(head, uint32(len(identity)))
	head = append(head, identity...)
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	found := make([]byte, min(int64(len(head)), info.Size()))
	if _, err := io.ReadFull(j.file, found); err != nil {
		return err
	}
	switch {
	case bytes.Equal(found, head):
	case bytes.HasPrefix(head, found): // cut off while the head was being written, or new
		if err := j.file.Truncate(0); err != nil {
			return err
		}
		if _, err := j.file.WriteAt(head, 0); err != nil {
			return err
		}
	case bytes.HasPrefix(found, []byte(journalMark)):
		return j.other(identity)
	default:
		return errors.New("this is not the state of a run")
	}
	j.next = int64(len(head))
	end := j.next
	for {
		content, err := j.record(end)
		if err != nil {
			return err
		}
		if content == nil {
			return nil
		}
		end += int64(len(content)) + 8
		j.known++
	}
}

// other is the error that tells how the run of the file differs.
func (j *Journal) other(identity string) error {
	size := make([]byte, 4)
	if _, err := j.file.ReadAt(size, int64(len(journalMark))); err != nil {
		return errors.New("the state is cut short")
	}
	theirs := make([]byte, min(binary.BigEndian.Uint32(size), 1<<20))
	n, _ := j.file.ReadAt(theirs, int64(len(journalMark))+4)
	was, is := strings.Split(string(theirs[:n]), "\n"), strings.Split(identity, "\n")
	for i := range max(len(was), len(is)) {
		a, b := "nothing", "nothing"
		if i < len(was) {
			a = was[i]
		}
		if i < len(is) {
			b = is[i]
		}
		if a != b {
			a, b = shorter(a, b)
			return fmt.Errorf("%w: it has %s, this run has %s", ErrOtherRun, a, b)
		}
	}
	return ErrOtherRun
}

// shorter cuts two long lines. Of each it keeps the beginning, which names an option, and the text
// around the first difference.
func shorter(a, b string) (string, string) {
	const name, around = 24, 40
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	cut := func(text string) string {
		if len(text) > same+around {
			text = text[:same+around] + "..."
		}
		if from := same - around; from > name {
			text = text[:name] + "..." + text[from:]
		}
		return strings.ToValidUTF8(text, "")
	}
	return cut(a), cut(b)
}

// record is the content of the record at an offset; nil when there is no complete one.
func (j *Journal) record(at int64) ([]byte, error) {
	var head [8]byte
	if _, err := j.file.ReadAt(head[:], at); err != nil {
		if err == io.EOF {
			return nil, nil
		}
		return nil, err
	}
	info, err := j.file.Stat()
	if err != nil {
		return nil, err
	}
	length := int64(binary.BigEndian.Uint32(head[:4]))
	if length == 0 || at+8+length > info.Size() { // zeros are what a loss of power leaves
		return nil, nil
	}
	content := make([]byte, length)
	if _, err := j.file.ReadAt(content, at+8); err != nil {
		return nil, err
	}
	if crc32.ChecksumIEEE(content) != binary.BigEndian.Uint32(head[4:]) {
		return nil, nil
	}
	return content, nil
}

// Known is the number of steps that need not be done again, before the first is taken.
func (j *Journal) Known() int { return j.known }

// Close makes the file durable and closes it.
func (j *Journal) Close() error { return errors.Join(j.file.Sync(), j.file.Close()) }

// Sync makes what was written so far survive a loss of power. The end of the process it survives
// without Sync.
func (j *Journal) Sync() error {
	if j == nil {
		return nil
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	return nil
}

// outcome is the content of a record.
type outcome struct {
	// Key is what step it was.
	Key string
	// Failure is the text of its error.
	Failure string
	// Value is in the format of gob.
	Value []byte
}

// recall is the outcome of a step: from the journal if an earlier run got that far, else by doing
// the step and writing it down. If the journal holds another step here, its run ended in another
// way, for example after fewer rounds; the rest of the file is then cut off. A step that ctx has
// interrupted is not written down.
func recall[T any](ctx context.Context, j *Journal, key string, do func() (T, error)) (T, error) {
	var value T
	if j == nil {
		return do()
	}
	if j.known > 0 {
		content, err := j.record(j.next)
		if err != nil {
			return value, fmt.Errorf("%w: %w", ErrState, err)
		}
		var o outcome
		if err := gob.NewDecoder(bytes.NewReader(content)).Decode(&o); err == nil && o.Key == key {
			if err := gob.NewDecoder(bytes.NewReader(o.Value)).Decode(&value); err != nil {
				return value, fmt.Errorf("%w: it does not hold what this version writes: %w", ErrState, err)
			}
			j.next += int64(len(content)) + 8
			j.known--
			if o.Failure != "" {
				return value, errors.New(o.Failure)
			}
			return value, nil
		}
		j.known = 0
	}
	value, failed := do()
	if ctx.Err() != nil {
		return value, failed
	}
	if err := j.write(key, &value, failed); err != nil {
		return value, fmt.Errorf("%w: %w", ErrState, err)
	}
	return value, failed
}

// write puts a record behind the last and drops what follows.
func (j *Journal) write(key string, value any, failed error) error {
	o := outcome{Key: key}
	if failed != nil {
		o.Failure = failed.Error()
	}
	var inner, outer bytes.Buffer
	if err := gob.NewEncoder(&inner).Encode(value); err != nil {
		return err
	}
	o.Value = inner.Bytes()
	if err := gob.NewEncoder(&outer).Encode(&o); err != nil {
		return err
	}
	record := binary.BigEndian.AppendUint32(nil, uint32(outer.Len()))
	record = binary.BigEndian.AppendUint32(record, crc32.ChecksumIEEE(outer.Bytes()))
	record = append(record, outer.Bytes()...)
	if err := j.file.Truncate(j.next); err != nil {
		return err
	}
	if _, err := j.file.WriteAt(record, j.next); err != nil {
		return err
	}
	j.next += int64(len(record))
	return nil
}
