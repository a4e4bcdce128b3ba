import { formatTime, parseTime } from './time.js';

/** Reads a subtitle file: blocks of a number, the times and the lines of text. */
export function parse(source) {
  return source
    .trim()
    .split(/\n{2,}/)
    .filter(Boolean)
    .map((block) => {
      const [number, times, ...lines] = block.split('\n');
      const [start, end] = times.split(' --> ').map(parseTime);
      return { number: Number(number), start, end, lines };
    });
}

/** Writes the cues as a subtitle file. */
export function format(cues) {
  return cues
    .map((cue) => [cue.number, `${formatTime(cue.start)} --> ${formatTime(cue.end)}`, ...cue.lines].join('\n') + '\n')
    .join('\n');
}
