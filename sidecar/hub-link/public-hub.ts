/**
 * What only the public hub needs: a hub that announces no features. It counts each refusal as an attempt of the task and
 * gives the task back at once, three times within 100 ms; a task that nobody accepts it takes back after a minute, and one
 * of a closed line at once, without counting.
 */

/** Tasks that a worker holds at most, running and waiting. A race of this hub gives several to one that works. */
const MOST_TASKS = 100;

/** Why a worker takes no task: it has enough of them; it takes none at all. */
export interface Refusal {
  kind: 'busy' | 'closed';
  error: string;
}

/** What becomes of a task that a worker refuses on another hub; `taken`: tasks that it holds. */
export function insteadOfRefusal({ kind }: Refusal, { taken }: { taken: number }): 'take' | 'leave' {
  return kind === 'busy' && taken < MOST_TASKS ? 'take' : 'leave';
}
