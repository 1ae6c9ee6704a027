package real

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Browser starts Chromium without a window and with a profile of its own, and ends it with the test. It
// skips the test where there is no Chromium.
func Browser(t testing.TB) context.Context {
	t.Helper()
	Need(t, "chromium")
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(find("chromium")), chromedp.Headless,
		chromedp.NoSandbox, chromedp.NoFirstRun, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir())}
	for _, flag := range []string{"disable-quic", "disable-background-networking", "disable-component-update",
		"disable-sync", "disable-dev-shm-usage", "disable-renderer-backgrounding", "no-default-browser-check"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	browser, stop := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		if err := chromedp.Cancel(browser); err != nil {
			t.Logf("the browser ends: %v", err)
		}
		stop()
		end()
	})
	if err := chromedp.Do(browser); err != nil {
		t.Fatal(err)
	}
	return browser
}

// Tab shows a page of a Browser and keeps what is wrong with it.
type Tab struct {
	// Context is for actions of chromedp.
	Context    context.Context
	t          testing.TB
	address    string
	mutex      sync.Mutex
	complaints []string
}

// Open shows a file in a new tab of a browser, width pixels wide. dark is what the page is told of the
// colours that the reader prefers.
func Open(t testing.TB, browser context.Context, file string, width int64, dark bool) *Tab {
	t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	b := &Tab{t: t, address: (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()}
	var end context.CancelFunc
	b.Context, end = chromedp.NewContext(browser, chromedp.WithListener(b.listen))
	t.Cleanup(end)
	Call(b, network.Enable, network.EnableParams{})
	Call(b, log.Enable, cdp.Empty{})
	Call(b, page.Enable, page.EnableParams{})
	Call(b, performance.Enable, performance.EnableParams{
		TimeDomain: performance.EnableTimeDomainThreadTicks})
	scheme := map[bool]string{false: "light", true: "dark"}[dark]
	Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	b.Do(chromedp.EmulateViewport(width, 900), chromedp.Navigate(b.address))
	return b
}

// listen keeps what the console and the log say, exceptions, dialogs, and every request but that of the
// page itself.
func (b *Tab) listen(event any) {
	complain := func(format string, args ...any) {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		b.complaints = append(b.complaints, fmt.Sprintf(format, args...))
	}
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		complain("console: %s", e.Type)
	case *runtime.EventExceptionThrown:
		complain("exception: %s", (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
	case *log.EventEntryAdded:
		complain("log: %s: %s", e.Entry.Level, e.Entry.Text)
	case *page.EventJavascriptDialogOpening:
		complain("dialog: %s", e.Message)
	case *network.EventRequestWillBeSent:
		if e.Request.URL != b.address {
			complain("request: %s", e.Request.URL)
		}
	}
}

// Complaints are what was wrong so far: entries of console and log, exceptions, dialogs, requests.
func (b *Tab) Complaints() []string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return append([]string(nil), b.complaints...)
}

// Do does things in the tab and fails the test where one cannot be done.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.Context, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// Call runs a command of the browser's protocol in a tab.
func Call[P, R any](b *Tab, command cdp.Command[P, R], parameters P) R {
	b.t.Helper()
	result, err := chromedp.Call(b.Context, command, parameters)
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}

// Eval is the value of a JavaScript expression in a tab; of a promise what it ends with.
func Eval[T any](b *Tab, expression string) T {
	b.t.Helper()
	result, err := chromedp.Run(b.Context, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return result
}

// Text is the value of a JavaScript expression as a string.
func (b *Tab) Text(expression string) string {
	b.t.Helper()
	return strings.TrimSpace(Eval[string](b, "String("+expression+")"))
}

// Seconds is the processor time of the page's main thread so far, which a busy machine does not stretch.
func (b *Tab) Seconds() float64 {
	b.t.Helper()
	for _, m := range Call(b, performance.GetMetrics, cdp.Empty{}).Metrics {
		if m.Name == "TaskDuration" && m.Value > 0 {
			return m.Value
		}
	}
	b.t.Fatal("the browser does not say how long it has worked")
	return 0
}
