package round

import (
	"os"
	"strings"
	"testing"

	"example.com/quiz/game"
	"example.com/quiz/table"
)

func TestOldNames(t *testing.T) {
	for _, path := range []string{"round.go", "../game/player.go", "../table/table.go"} {
		source, _ := os.ReadFile(path)
		if strings.Contains(string(source), "Pts") {
			t.Error(path)
		}
	}
}

func TestAll(t *testing.T) {
	players, err := game.Load([]byte(`[{"name":"Ada","pts":3},{"name":"Bo","pts":1}]`))
	if err != nil || players[0].Points != 3 {
		t.Fatal(players, err)
	}
	Play(&players[1], []bool{true, true, true})
	Play(&players[0], []bool{false, false, false, false})
	players[0].AddPoints(1)
	if shown := table.Show(players); shown != "Bo: 4\nAda: 1\n" {
		t.Errorf("%q", shown)
	}
	if saved, _ := game.Save(players); string(saved) != `[{"name":"Ada","pts":1},{"name":"Bo","pts":4}]` {
		t.Error(string(saved))
	}
}
