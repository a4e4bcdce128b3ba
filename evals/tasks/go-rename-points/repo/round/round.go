// Package round plays one round.
package round

import "example.com/quiz/game"

// Play gives a point for each right answer and takes one for each wrong one.
func Play(p *game.Player, answers []bool) {
	give := p.AddPts
	for _, right := range answers {
		if right {
			give(1)
		} else {
			give(-1)
		}
	}
}
