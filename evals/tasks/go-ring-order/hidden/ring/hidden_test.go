package ring

import (
	"reflect"
	"strconv"
	"testing"
)

func TestHiddenOrder(t *testing.T) {
	for size := 1; size <= 4; size++ {
		r := New(size)
		all := []string{}
		for i := 0; i < 11; i++ {
			if want := all[max(0, len(all)-size):]; r.Len() != len(want) || !reflect.DeepEqual(r.Items(), append([]string{}, want...)) {
				t.Fatalf("size %d after %d: got %v, want %v", size, i, r.Items(), want)
			}
			e := strconv.Itoa(i * 7 % 11)
			all = append(all, e)
			r.Add(e)
			if last, ok := r.Last(); !ok || last != e {
				t.Fatalf("Last() = %q", last)
			}
		}
	}
}

func TestHiddenCopy(t *testing.T) {
	r := New(2)
	r.Add("a")
	r.Add("b")
	r.Add("c")
	r.Items()[0] = "x"
	r.Items()[1] = "y"
	if got := r.Items(); !reflect.DeepEqual(got, []string{"b", "c"}) {
		t.Fatalf("Items() must give a copy, got %v", got)
	}
	r.Add("d")
	if got := r.Items(); !reflect.DeepEqual(got, []string{"c", "d"}) {
		t.Fatalf("Items() must not change the ring, got %v", got)
	}
}
