package main

import "errors"

// ErrNoLocker says that no free locker is big enough.
var ErrNoLocker = errors.New("no locker for this parcel")

// Locker is one door of the station. Parcel is empty when it is free.
type Locker struct {
	ID     string
	Size   Size
	Parcel string
}

// Fits reports whether a parcel fits into a locker.
func Fits(parcel, locker Size) bool {
	w, h, d := parcel.W, parcel.H, parcel.D
	for _, p := range [][3]int{{w, h, d}, {h, w, d}, {w, d, h}, {d, h, w}} {
		if p[0] <= locker.W && p[1] <= locker.H && p[2] <= locker.D {
			return true
		}
	}
	return false
}

// Assign puts a parcel into the smallest free locker that it fits into and returns the locker's ID.
func Assign(lockers []Locker, parcel string, size Size) (string, error) {
	best := -1
	for i, locker := range lockers {
		if locker.Parcel != "" || !Fits(size, locker.Size) {
			continue
		}
		if best < 0 || locker.Size.Volume() < lockers[best].Size.Volume() {
			best = i
		}
	}
	if best < 0 {
		return "", ErrNoLocker
	}
	lockers[best].Parcel = parcel
	return lockers[best].ID, nil
}
