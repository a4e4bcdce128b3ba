import { format, parse } from './srt.js';

/**
 * New cues, later by `ms` milliseconds (earlier if it is negative), numbered from 1. Nothing is shown before 0: cues that
 * would be over by then are left out.
 */
export function shift(cues, ms) {
  return cues
    .filter((cue) => cue.start + ms >= 0)
    .map((cue, i) => ({ ...cue, number: i + 1, start: Math.max(0, cue.start + ms), end: cue.end + ms }));
}

/** The same for the text of a subtitle file. */
export function shiftText(source, ms) {
  return format(shift(parse(source), ms));
}
