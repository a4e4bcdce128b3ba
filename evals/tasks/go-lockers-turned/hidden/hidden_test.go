package main

import "testing"

func TestHiddenPositions(t *testing.T) {
	locker := Size{60, 40, 30}
	for _, edges := range [][3]int{{60, 40, 30}, {55, 35, 25}, {60, 10, 10}, {31, 35, 30}} {
		a, b, c := edges[0], edges[1], edges[2]
		for _, parcel := range []Size{{a, b, c}, {a, c, b}, {b, a, c}, {b, c, a}, {c, a, b}, {c, b, a}} {
			if !Fits(parcel, locker) {
				t.Errorf("%v should fit into %v", parcel, locker)
			}
			if !Fits(Size{a, b, c}, Size{30, 60, 40}) {
				t.Errorf("%v should fit into the turned locker", edges)
			}
		}
	}
}

func TestHiddenTooBig(t *testing.T) {
	locker := Size{30, 60, 40}
	for _, edges := range [][3]int{{61, 1, 1}, {50, 41, 10}, {41, 41, 1}, {31, 31, 31}, {60, 40, 31}, {60, 41, 30}} {
		a, b, c := edges[0], edges[1], edges[2]
		for _, parcel := range []Size{{a, b, c}, {a, c, b}, {b, a, c}, {b, c, a}, {c, a, b}, {c, b, a}} {
			if Fits(parcel, locker) {
				t.Errorf("%v should not fit into %v", parcel, locker)
			}
		}
	}
}

func TestHiddenAssign(t *testing.T) {
	lockers := []Locker{
		{ID: "tall", Size: Size{20, 20, 120}},
		{ID: "medium", Size: Size{60, 40, 30}},
		{ID: "flat", Size: Size{40, 40, 15}},
	}
	steps := []struct {
		size Size
		want string
	}{
		{Size{15, 40, 40}, "flat"},
		{Size{10, 110, 20}, "tall"},
		{Size{15, 30, 30}, "medium"},
		{Size{1, 1, 1}, ""},
	}
	for _, step := range steps {
		got, err := Assign(lockers, step.size.String(), step.size)
		if got != step.want || (err == ErrNoLocker) != (step.want == "") {
			t.Errorf("%v: got %q, %v, want %q", step.size, got, err, step.want)
		}
	}
	if lockers[0].Size != (Size{20, 20, 120}) || lockers[0].Parcel != "10x110x20" {
		t.Errorf("got %+v", lockers[0])
	}
}

func TestHiddenSize(t *testing.T) {
	size, err := ParseSize("30x60x20")
	if size != (Size{30, 60, 20}) || err != nil || size.String() != "30x60x20" {
		t.Errorf("got %v, %v", size, err)
	}
	if _, err := ParseSize("30x60"); err == nil {
		t.Error("30x60 should be refused")
	}
}
