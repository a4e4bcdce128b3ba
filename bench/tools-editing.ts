/** What tools cost on the largest things they meet: one huge line, a huge patch, the worst fuzzy edit. */
import { editText } from '../sidecar/parsing/editing/edit-text.ts';
import { locateChunks } from '../sidecar/parsing/editing/patch-locate.ts';
import { parsePatch } from '../sidecar/parsing/editing/patch-parser.ts';
import { TextDocument } from '../sidecar/parsing/editing/text-document.ts';
import { truncateToolOutput } from '../sidecar/tools/truncation.ts';

export interface Measure {
  name: string;
  value: number;
  unit: string;
  target?: string;
}

const RUNS = 5;
const FILE_LINES = 50_000;

/** The median of some runs, after one to warm up. */
function medianMs(run: () => void): number {
  run();
  const times = Array.from({ length: RUNS }, () => {
    const started = performance.now();
    run();
    return performance.now() - started;
  });
  return Math.round((times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0) * 100) / 100;
}

const sourceLine = (index: number): string =>
  `  const value${index % 977} = compute(${index}, "item ${index % 31}", other[${index}]) ?? fallback;`;

function truncateHugeLine(): number {
  const text = 'x'.repeat(10 * 1024 * 1024);
  return medianMs(() => truncateToolOutput(text, 'shell'));
}

function patchHugeFile(): number {
  const lines = Array.from({ length: FILE_LINES }, (_, index) => sourceLine(index));
  const hunks = Array.from({ length: 500 }, (_, index) => {
    const at = index * 100 + 50;
    // Indented otherwise than the file, so that every hunk takes the ladder's third step.
    return `@@\n ${lines[at - 1]?.trim()}\n-${lines[at]?.trim()}\n+  changed(${at});\n ${lines[at + 1]?.trim()}`;
  });
  const patch = `*** Begin Patch\n*** Update File: a.ts\n${hunks.join('\n')}\n*** End Patch`;
  const text = `${lines.join('\n')}\n`;
  return medianMs(() => {
    const parsed = parsePatch(patch);
    const operation = parsed.ok ? parsed.operations[0] : undefined;
    if (operation?.type !== 'update') throw new Error('the patch was not read');
    const located = locateChunks(new TextDocument(text), operation.chunks);
    if (!located.ok) throw new Error(located.message);
  });
}

/** Every fall-back is tried, and the passage is not there in the end. */
function worstFuzzyEdit(): number {
  const lines = Array.from({ length: FILE_LINES }, (_, index) => sourceLine(index).replaceAll('"', '“'));
  const wanted = lines.slice(30_000, 30_200).map((line) => line.replace('compute', 'computed\\t'));
  const edit = { oldString: wanted.join('\n'), newString: 'x', replaceAll: false };
  const text = lines.join('\n');
  return medianMs(() => {
    if (editText(text, edit).ok) throw new Error('nothing should have matched');
  });
}

/** Lines and a passage of one repeated line: the input on which a naive search is quadratic. */
function repetitiveFuzzyEdit(): number {
  const text = Array.from({ length: FILE_LINES }, () => '    }').join('\n');
  const oldString = [...Array.from({ length: 20_000 }, () => '  }'), 'end'].join('\n');
  return medianMs(() => {
    if (editText(text, { oldString, newString: 'x', replaceAll: false }).ok)
      throw new Error('nothing should have matched');
  });
}

export async function bench(): Promise<Measure[]> {
  return [
    {
      name: 'truncate one line of 10 MB',
      value: truncateHugeLine(),
      unit: 'ms',
      target: '< 10',
    },
    {
      name: 'locate a patch of 500 hunks in 50 000 lines',
      value: patchHugeFile(),
      unit: 'ms',
      target: '< 200',
    },
    {
      name: 'worst fuzzy edit in 50 000 lines',
      value: worstFuzzyEdit(),
      unit: 'ms',
      target: '< 300',
    },
    {
      name: 'fuzzy edit in 50 000 equal lines',
      value: repetitiveFuzzyEdit(),
      unit: 'ms',
      target: '< 300',
    },
  ];
}
