/**
 * Tells an answer that only announces the next step ("Let me read the file.") from one that ends the task.
 * A wrong yes costs one nudge, a wrong no ends the task, so clear announcements count, and
 * anything that reports a result or speaks to the reader does not.
 */
const maxLength = 2000;
const maxSentenceLength = 400;

/** First words of a sentence in which the model says what it itself is about to do. */
const opening =
  /^(?:(?:so|now|next|first|then|okay|ok|alright|sure|great|good|perfect|certainly|got it|understood|to start|to begin|to do (?:this|that|so))[,.!:]?\s{1,3}){0,3}(?:let me|let's|i'll|i will|i'm going to|i am going to|i'm about to|i need to|i want to|i should|i must|we need to|we should|we'll|we will|i can|i'd like to)\s+(?:(?:now|first|next|then|also|just|quickly|start by|begin by|continue by|go ahead and|proceed to|try to|have to|need to)\s+){0,3}([a-z]+)/;

/** What it can be about to do with its tools. */
const actions = new Set(
  (
    'read look check open search find list run examine inspect explore create write edit update modify fix implement ' +
    'add install test verify use call analyze analyse review view see investigate locate change make apply refactor ' +
    'rename remove delete execute grep fetch get continue proceed reading looking checking opening searching finding ' +
    'listing running examining inspecting exploring creating writing editing updating modifying fixing implementing ' +
    'adding testing verifying using calling analyzing reviewing viewing investigating locating take gather scan start ' +
    'begin build debug determine identify confirm rewrite replace correct address move set try'
  ).split(' '),
);

/** Words that report something done, or turn to the reader. */
const result =
  /\b(?:done|fixed|completed|finished|implemented|has been|have been|was (?:added|changed|created|updated|fixed)|successfully|all tests pass|tests? (?:now )?pass|passed|in summary|summary|the answer|you can|you could|you may|you should|would you|if you|please|i've|i have (?:added|created|updated|fixed|changed|made|written|implemented|verified|run)|here is|here's|here are)\b/;

/**
 * Whether a tool-less answer announces a step of the model's own instead of ending the task. Judged by its last
 * paragraph: the last sentence announces, or the first one does and nothing after it reports a result.
 */
export function announcesNextStep(content: string): boolean {
  const text = content.trim().slice(-maxLength).toLowerCase().replaceAll('’', "'");
  const paragraph = text.split(/\n\s*\n/).at(-1) ?? '';
  const sentences = paragraph
    .split(/(?<=[.!?:…])\s+|\n/)
    .map((sentence) =>
      sentence
        .replace(/^[\s>*#\d.)-]+/, '')
        .slice(0, maxSentenceLength)
        .trim(),
    )
    .filter((sentence) => sentence !== '');
  const last = sentences.at(-1);
  const [first] = sentences;
  if (last === undefined || first === undefined) return false;
  if (announces(last)) return true;
  const rest = sentences.slice(1).join(' ');
  return sentences.length <= 4 && announces(first) && !result.test(rest) && text === paragraph;
}

function announces(sentence: string): boolean {
  if (sentence.endsWith('?')) return false;
  const verb = opening.exec(sentence)?.[1];
  return verb !== undefined && actions.has(verb) && !result.test(sentence);
}
