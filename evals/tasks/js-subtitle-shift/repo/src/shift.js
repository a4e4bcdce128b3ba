import { format, parse } from './srt.js';

/** New cues, later by `ms` milliseconds (earlier if it is negative). */
export function shift(cues, ms) {
  return cues.map((cue) => ({ ...cue, start: cue.start + ms, end: cue.end + ms }));
}

/** The same for the text of a subtitle file. */
export function shiftText(source, ms) {
  return format(shift(parse(source), ms));
}
