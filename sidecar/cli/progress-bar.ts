/** A progress bar on stderr, drawn in place; without a terminal, one line per quarter. */
const BAR_CHARS = 30;
const STEP_PERCENT = 25;

interface ProgressBar {
  show: (percent: number) => void;
  /** Ends the line; call before any other output. */
  end: () => void;
}

export function drawBar(title: string): ProgressBar {
  const inPlace = process.stderr.isTTY;
  let shownPercent = 0;
  let isDrawn = false;
  return {
    show: (percent) => {
      if (inPlace) {
        isDrawn = true;
        process.stderr.write(`\r${barLine(title, percent)}`);
      } else if (percent >= shownPercent + STEP_PERCENT) {
        shownPercent = percent - (percent % STEP_PERCENT);
        process.stderr.write(`${title}: ${shownPercent} %\n`);
      }
    },
    end: () => {
      if (isDrawn) process.stderr.write('\n');
    },
  };
}

/** Formats the bar: `Pulling m  [#####·····]  50 %`. */
export function barLine(title: string, percent: number): string {
  const filled = Math.round((Math.min(100, Math.max(0, percent)) / 100) * BAR_CHARS);
  return `${title}  [${'#'.repeat(filled)}${'·'.repeat(BAR_CHARS - filled)}] ${String(percent).padStart(3)} %`;
}
