package mainelsewhere

import "testing"

func TestX(t *testing.T) {}
