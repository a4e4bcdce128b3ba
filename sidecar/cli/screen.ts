/** A full-screen view for one command; restores the terminal at the end. `q`, Escape and Ctrl-C quit. */

/** Alternate screen, no cursor, and no wrapping: long lines end at the edge. */
const ENTER = '\u001B[?1049h\u001B[?25l\u001B[?7l';
const LEAVE = '\u001B[?7h\u001B[?25h\u001B[?1049l';
const HOME = '\u001B[H';
const CLEAR_LINE = '\u001B[K';
const CLEAR_BELOW = '\u001B[J';
const QUIT_KEYS = new Set(['q', 'Q', '\u0003', '\u001B']);

export interface Screen {
  readonly width: number;
  /** Aborts when the user quits. */
  readonly quitting: AbortSignal;
  quit: () => void;
  /** Draws the lines that fit, cut at the screen's width. */
  draw(lines: readonly string[]): void;
  close(): void;
}

export function openScreen(): Screen {
  const { stdin, stdout } = process;
  const quitting = new AbortController();
  const quit = () => quitting.abort();
  const onKey = (key: Buffer) => {
    if (QUIT_KEYS.has(key.toString())) quit();
  };
  let drawn: readonly string[] = [];
  const draw = (lines: readonly string[]) => {
    drawn = lines;
    const fitting = lines.slice(0, Math.max(1, (stdout.rows || 24) - 1));
    stdout.write(`${HOME}${fitting.map((line) => line + CLEAR_LINE).join('\n')}\n${CLEAR_BELOW}`);
  };
  const onResize = () => draw(drawn);
  stdout.write(ENTER);
  stdout.on('resize', onResize);
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    stdin.on('data', onKey).resume();
  }
  return {
    get width() {
      return Math.max(40, stdout.columns || 80);
    },
    quitting: quitting.signal,
    quit,
    draw,
    close: () => {
      stdout.off('resize', onResize);
      if (stdin.isTTY) {
        stdin.off('data', onKey).pause();
        stdin.setRawMode(false);
      }
      stdout.write(LEAVE);
    },
  };
}
