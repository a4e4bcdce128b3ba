package a

type A struct{}
type B struct{}

func (a A) Name() string { return "a" }

func (b B) Name() string { return "b" }
