import { readJob } from './job.js';
import { nextRun } from './next-run.js';

/** The next `count` runs of all jobs, in order: [{ name, at }]. */
export function agenda(lines, now, count) {
  const waiting = lines.map(readJob).map((job) => ({ job, at: nextRun(job, now) }));
  const runs = [];
  while (runs.length < count && waiting.length > 0) {
    waiting.sort((a, b) => a.at - b.at);
    const [first] = waiting;
    runs.push({ name: first.job.name, at: first.at });
    first.at = nextRun(first.job, first.at);
  }
  return runs;
}
