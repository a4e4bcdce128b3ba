package sum

type Sum struct{ n int }

// Add adds x.
func (s *Sum) Add(x int) {
	s.n += x
}
