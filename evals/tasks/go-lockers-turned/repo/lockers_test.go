package main

import "testing"

func station() []Locker {
	return []Locker{
		{ID: "big", Size: Size{100, 50, 50}},
		{ID: "medium", Size: Size{60, 40, 30}},
		{ID: "flat", Size: Size{40, 40, 15}},
	}
}

func TestAssign(t *testing.T) {
	cases := []struct {
		size Size
		want string
	}{
		{Size{40, 30, 10}, "flat"},
		{Size{60, 40, 30}, "medium"},
		{Size{30, 60, 20}, "medium"},
		{Size{90, 50, 50}, "big"},
	}
	for _, c := range cases {
		if got, err := Assign(station(), "p", c.size); got != c.want || err != nil {
			t.Errorf("%v: got %q, %v, want %q", c.size, got, err, c.want)
		}
	}
}

func TestTooBig(t *testing.T) {
	if id, err := Assign(station(), "p", Size{110, 60, 60}); err != ErrNoLocker {
		t.Errorf("got %q, %v", id, err)
	}
}

func TestTaken(t *testing.T) {
	lockers := station()
	for _, want := range []string{"flat", "medium", "big"} {
		if got, _ := Assign(lockers, "p", Size{20, 20, 10}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
