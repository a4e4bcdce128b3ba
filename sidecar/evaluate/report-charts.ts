/** The charts of an evaluation's page, as SVG. Pure; every text that comes from outside is escaped here. */
import { percent } from './figure-texts.ts';
import type { RunRecord } from './record.ts';
import type { ModelSummary, Share } from './summary.ts';

/** Text for HTML, also inside of a quoted attribute. */
export function escapeHtml(text: string): string {
  return (
    text
      .replaceAll(/[&<>"']/gu, (found) => `&#${found.charCodeAt(0)};`)
      // eslint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/gu, '�')
  );
}

const ROW = 26;
const LABELS = 130;
const BAR = 330;
const VALUES = 170;

/** Share solved of each kind or language, a bar with its 90 % interval. */
export function shareChart(title: string, shares: readonly Share[]): string {
  const height = shares.length * ROW + 8;
  const rows = shares.map(({ name, tasks, solved }, index) => {
    const y = index * ROW + 4;
    const middle = y + ROW / 2;
    const [low, high] = [LABELS + solved.low * BAR, LABELS + solved.high * BAR];
    const label = `${percent(solved.mean)} of ${tasks} ${tasks === 1 ? 'task' : 'tasks'}`;
    return [
      `<text class="label" x="${LABELS - 8}" y="${middle + 4}" text-anchor="end">${escapeHtml(name)}</text>`,
      `<rect class="track" x="${LABELS}" y="${y + 4}" width="${BAR}" height="${ROW - 10}"/>`,
      `<rect class="solved" x="${LABELS}" y="${y + 4}" width="${round(solved.mean * BAR)}" height="${ROW - 10}"/>`,
      `<path class="whisker" d="M${round(low)} ${middle - 5}v8M${round(low)} ${middle - 1}H${round(high)}M${round(high)} ${middle - 5}v8"/>`,
      `<text class="value" x="${LABELS + BAR + 10}" y="${middle + 4}">${escapeHtml(label)}</text>`,
    ].join('');
  });
  return figure(title, svg(LABELS + BAR + VALUES, height, title, rows.join('')));
}

const PLOT = { left: 52, top: 10, width: 560, height: 220, bottom: 40 };

/** A dot for each task: what it took on average against how often it was solved. */
export function tokensChart(summaries: readonly ModelSummary[]): string {
  const title = 'Tokens of a task against how often it was solved';
  const dots = summaries.flatMap((summary, index) =>
    summary.perTask.map((task) => ({ ...task, index, tokens: task.tokensIn + task.tokensOut })),
  );
  const most = Math.max(1000, ...dots.map(({ tokens }) => tokens));
  const x = (tokens: number): number => PLOT.left + (Math.max(0, tokens) / most) * PLOT.width;
  const y = (share: number): number => PLOT.top + (1 - share) * PLOT.height;
  const seen = new Map<string, number>();
  const marks = dots.map((dot) => {
    const share = dot.runs === 0 ? 0 : dot.solved / dot.runs;
    // Tasks that meet in one place are set beside each other.
    const key = `${Math.round(x(dot.tokens) / 8)} ${share}`;
    const met = seen.get(key) ?? 0;
    seen.set(key, met + 1);
    const name = `${dot.task}: ${dot.solved} of ${dot.runs} solved, ${Math.round(dot.tokens)} tokens`;
    return `<circle class="dot model-${dot.index % 4}" cx="${round(x(dot.tokens))}" cy="${round(y(share) + (share > 0.5 ? met * 6 : met * -6))}" r="4.5"><title>${escapeHtml(name)}</title></circle>`;
  });
  const bottom = PLOT.top + PLOT.height;
  const lines = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<path class="grid" d="M${PLOT.left} ${y(share)}h${PLOT.width}"/><text class="tick" x="${PLOT.left - 8}" y="${y(share) + 4}" text-anchor="end">${percent(share)}</text>`,
  );
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(
    (part) =>
      `<text class="tick" x="${round(x(part * most))}" y="${bottom + 18}" text-anchor="middle">${Math.round(part * most).toLocaleString('en')}</text>`,
  );
  const axis = `<text class="tick" x="${PLOT.left + PLOT.width / 2}" y="${bottom + 36}" text-anchor="middle">tokens in and out, mean of the runs</text>`;
  return figure(
    title,
    svg(
      PLOT.left + PLOT.width + 30,
      bottom + PLOT.bottom,
      title,
      lines.join('') + ticks.join('') + axis + marks.join(''),
    ),
  );
}

const TIMELINE = { labels: 260, width: 620, row: 16 };
const MAX_TIMELINES = 500;

/** A row for each run: when the model was asked, when tools and checks ran, and around them the drafts. */
export function timelineChart(records: readonly RunRecord[]): string {
  const title = 'Where the time went';
  const shown = records.slice(0, MAX_TIMELINES);
  const longestMs = Math.max(1000, ...shown.map(({ seconds }) => seconds * 1000));
  const x = (ms: number): number =>
    TIMELINE.labels + (Math.min(Math.max(ms, 0), longestMs) / longestMs) * TIMELINE.width;
  const rows = shown.map((record, index) => {
    const y = index * TIMELINE.row;
    const name = `${record.task} ${record.run}`;
    const inner = record.timeline.filter(({ what }) => what !== 'draft');
    const drafts = record.timeline.filter(({ what }) => what === 'draft');
    const stretches = [...drafts, ...inner].map(({ what, fromMs, toMs, label }) => {
      const margin = what === 'draft' ? 1 : 3;
      return `<rect class="${what}" x="${round(x(fromMs))}" y="${y + margin}" width="${round(Math.max(1, x(toMs) - x(fromMs)))}" height="${TIMELINE.row - 2 * margin}"><title>${escapeHtml(label)}</title></rect>`;
    });
    return [
      `<text class="${record.solved ? 'name-solved' : 'name-open'}" x="${TIMELINE.labels - 8}" y="${y + 12}" text-anchor="end">${escapeHtml(name)}</text>`,
      `<rect class="track" x="${TIMELINE.labels}" y="${y + 3}" width="${round(x(record.seconds * 1000) - TIMELINE.labels)}" height="${TIMELINE.row - 6}"/>`,
      ...stretches,
    ].join('');
  });
  const height = shown.length * TIMELINE.row + 22;
  const axis = [0, 0.5, 1].map(
    (part) =>
      `<text class="tick" x="${round(x(part * longestMs))}" y="${height - 4}" text-anchor="middle">${round((part * longestMs) / 1000)} s</text>`,
  );
  const legend =
    '<p class="legend"><span class="key draft"></span> draft <span class="key model"></span> model <span class="key tool"></span> tool <span class="key check"></span> check <span class="key track"></span> everything else</p>';
  const left = records.length - shown.length;
  const more = left > 0 ? `<p class="note">${left} more runs are in result.json.</p>` : '';
  const width = TIMELINE.labels + TIMELINE.width + 30;
  return figure(title, legend + svg(width, height, title, rows.join('') + axis.join('')) + more);
}

const figure = (title: string, content: string): string =>
  `<figure><figcaption>${escapeHtml(title)}</figcaption>${content}</figure>`;
const svg = (width: number, height: number, title: string, content: string): string =>
  `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeHtml(title)}">${content}</svg>`;
const round = (value: number): number => Math.round(value * 10) / 10;
