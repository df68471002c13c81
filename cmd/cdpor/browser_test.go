package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A browser is a headless Chromium driven through chromedriver, which speaks JSON over HTTP (W3C WebDriver).
type browser struct {
	t       *testing.T
	session string // address
}

// newBrowser starts a browser, or skips the test when there is none.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	driver, err := exec.LookPath("chromedriver")
	if err != nil {
		t.Skip("no chromedriver: the page is not tried in a browser (Debian: apt-get install chromium chromium-driver)")
	}
	port := freePort(t)
	command := exec.Command(driver, fmt.Sprintf("--port=%d", port))
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
	})
	b := &browser{t: t, session: fmt.Sprintf("http://127.0.0.1:%d/session", port)}
	profile := t.TempDir()
	args := []string{"--headless", "--force-prefers-reduced-motion", // a click hits what stands still
		"--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir=" + profile, "--window-size=1400,1000"}
	want := map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"goog:chromeOptions": map[string]any{"args": args}, "goog:loggingPrefs": map[string]any{"browser": "ALL"}}}}
	var made struct {
		SessionID string `json:"sessionId"`
	}
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		err := b.call("POST", "", want, &made)
		if err == nil {
			break
		}
		var refused *net.OpError
		if !errors.As(err, &refused) || time.Now().After(deadline) {
			t.Fatalf("no session: %v", err)
		}
	}
	b.session += "/" + made.SessionID
	t.Cleanup(func() { b.call("DELETE", "", nil, nil) })
	return b
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// call makes one request of the WebDriver protocol; into, if not nil, takes the value.
func (b *browser) call(method, path string, body, into any) error {
	var send io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		send = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, b.session+path, send)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: 120 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct{ Value json.RawMessage }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, path, answer.Value)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer.Value, into)
}

func (b *browser) must(method, path string, body, into any) {
	b.t.Helper()
	if err := b.call(method, path, body, into); err != nil {
		b.t.Fatal(err)
	}
}

// open goes to a file, at a fragment.
func (b *browser) open(path, fragment string) {
	b.t.Helper()
	b.must("POST", "/url", map[string]string{"url": "about:blank"}, nil)
	b.must("POST", "/url", map[string]string{"url": "file://" + path + fragment}, nil)
}

// element finds the first element that a selector matches, "" if there is none.
func (b *browser) element(selector string) string {
	var found map[string]string
	if b.call("POST", "/element", map[string]string{"using": "css selector", "value": selector}, &found) != nil {
		return ""
	}
	for _, id := range found {
		return id
	}
	return ""
}

func (b *browser) the(selector string) string {
	b.t.Helper()
	id := b.element(selector)
	if id == "" {
		b.t.Fatalf("there is no %s", selector)
	}
	return id
}

func (b *browser) click(selector string) {
	b.t.Helper()
	b.must("POST", "/element/"+b.the(selector)+"/click", map[string]string{}, nil)
}

func (b *browser) text(selector string) string {
	b.t.Helper()
	var text string
	b.must("GET", "/element/"+b.the(selector)+"/text", nil, &text)
	return text
}

// textWhen is the text of an element as soon as it is right, or what it is after some seconds. Until then there may be
// no such element, or another one in its place from one question to the next.
func (b *browser) textWhen(selector string, right func(string) bool) string {
	b.t.Helper()
	for range 100 {
		var text string
		if id := b.element(selector); id != "" && b.call("GET", "/element/"+id+"/text", nil, &text) == nil &&
			right(text) {
			return text
		}
		time.Sleep(100 * time.Millisecond)
	}
	return b.text(selector)
}

// keys types into an element. \ue012 to \ue015 are the arrows left, up, right, down, \ue007 is Enter, \ue00c Escape.
func (b *browser) keys(selector, keys string) {
	b.t.Helper()
	b.must("POST", "/element/"+b.the(selector)+"/value", map[string]string{"text": keys}, nil)
}

// js runs a script and returns what it returns.
func js[T any](b *browser, script string) T {
	b.t.Helper()
	var value T
	b.must("POST", "/execute/sync", map[string]any{"script": script, "args": []any{}}, &value)
	return value
}

// look makes the browser as wide as a device, light or dark.
func (b *browser) look(width, height int, scheme string) {
	b.t.Helper()
	cdp := func(command string, params map[string]any) {
		b.must("POST", "/goog/cdp/execute", map[string]any{"cmd": command, "params": params}, nil)
	}
	cdp("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
	cdp("Emulation.setEmulatedMedia",
		map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
}

// screenshot saves what is in sight in a folder, if one is given.
func (b *browser) screenshot(folder, name string) {
	b.t.Helper()
	if folder == "" {
		return
	}
	var picture string
	b.must("GET", "/screenshot", nil, &picture)
	raw, err := base64.StdEncoding.DecodeString(picture)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), raw, 0o666); err != nil {
		b.t.Fatal(err)
	}
}

// complaints are what the page has written to the console: errors, and what its security policy forbids.
func (b *browser) complaints() (list []string) {
	b.t.Helper()
	var log []struct{ Level, Message string }
	b.must("POST", "/se/log", map[string]string{"type": "browser"}, &log)
	for _, entry := range log {
		list = append(list, entry.Level+": "+entry.Message)
	}
	return list
}
