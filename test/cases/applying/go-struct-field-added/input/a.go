package a

type Box struct {
	Name string
}

func (b Box) Say() string { return b.Name }
