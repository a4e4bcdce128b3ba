package game

import "testing"

func TestSave(t *testing.T) {
	players, err := Load([]byte(`[{"name":"Ada","pts":3}]`))
	if err != nil {
		t.Fatal(err)
	}
	if saved, _ := Save(players); string(saved) != `[{"name":"Ada","pts":3}]` {
		t.Error(string(saved))
	}
}
