package memory

import "testing"

// TestSize reads sizes and writes them again.
func TestSize(t *testing.T) {
	for text, want := range map[string]string{"512MB": "512MB", "2g": "2GB", "1024M": "1GB", " 3 kb": "3KB",
		"4194304": "4MB", "100B": "100B",
		"2":         `"2" has no unit: write 2MB or 2GB`,
		"0MB":       `"0MB" is no size; write 512MB or 2GB`,
		"-1GB":      `"-1GB" is no size; write 512MB or 2GB`,
		"much":      `"much" is no size; write 512MB or 2GB`,
		"9999999TB": `"9999999TB" is no size; write 512MB or 2GB`,
	} {
		var s Size
		got := ""
		if err := s.UnmarshalText([]byte(text)); err != nil {
			got = err.Error()
		} else {
			got = s.String()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
