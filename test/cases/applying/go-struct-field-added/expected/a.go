package a

type Box struct {
	Name string
	Size int
}

func (b Box) Say() string { return b.Name }
