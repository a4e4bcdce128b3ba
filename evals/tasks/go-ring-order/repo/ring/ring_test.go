package ring

import (
	"reflect"
	"testing"
)

func filled(size int, entries ...string) *Ring {
	r := New(size)
	for _, e := range entries {
		r.Add(e)
	}
	return r
}

func TestItemsBeforeWrap(t *testing.T) {
	if got := filled(3, "a", "b").Items(); !reflect.DeepEqual(got, []string{"a", "b"}) {
		t.Errorf("Items() = %v, want [a b]", got)
	}
}

func TestItemsAfterWrap(t *testing.T) {
	if got := filled(3, "a", "b", "c", "d").Items(); !reflect.DeepEqual(got, []string{"b", "c", "d"}) {
		t.Errorf("Items() = %v, want [b c d]", got)
	}
}

func TestLast(t *testing.T) {
	if got, ok := filled(2, "a", "b", "c").Last(); !ok || got != "c" {
		t.Errorf("Last() = %q, %v", got, ok)
	}
	if _, ok := New(2).Last(); ok {
		t.Error("an empty ring has no last entry")
	}
}
