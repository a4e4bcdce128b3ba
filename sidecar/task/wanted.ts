/**
 * What a request wants: an answer, or a change. A request that tells what is wrong wants a change, however it begins
 * ("When the file is damaged, …"); one that asks wants an answer, unless it only asks politely ("Can you rename …?").
 */
const MAX_CHARS = 8_000;

const POLITE = /^(?:please|kindly|now|then|also|and|(?:can|could|would|will) you(?: please)?)\b[,\s]*/iu;

const CHANGE_VERBS =
  'adapt|add|adjust|align|allow|append|apply|change|clean|convert|correct|create|delete|disable|drop|enable|ensure|extend|extract|fix|' +
  'handle|implement|improve|inline|insert|introduce|keep|limit|log|make|mend|merge|migrate|modify|move|port|put|raise|refactor|reduce|' +
  'remove|rename|reorder|repair|replace|return|rewrite|round|set|simplify|skip|sort|split|stop|store|support|switch|throw|treat|trim|' +
  'turn|update|use|validate|write';
const STARTS_WITH_CHANGE = new RegExp(`^(?:${CHANGE_VERBS})\\b`, 'iu');
const GOES_ON_WITH_CHANGE = new RegExp(
  `\\b(?:and|then) (?:please )?(?:${CHANGE_VERBS}) (?:it|them|that|this|the|a|an|all)\\b`,
  'iu',
);
const OBLIGES =
  /\b(?:should|shall|must|ought to|(?:has|have|needs?) to)\b|\bi(?:'d like| would like| want)\b(?! (?:only |just )?to (?:know|understand|learn|see)\b)/iu;
/** Words for people who read a document: to write them is a change. */
const WRITES_DOWN =
  /^(?:describe|explain|list|mention|show|document|summari[sz]e)\b.*\b(?:in|to|at) (?:the |our |its )?(?:\S+\.(?:md|txt|rst)\b|readme|docs?\b|documentation|changelog)/iu;

const ASKS = [
  /^(?:explain|describe|summari[sz]e|review|analy[sz]e)\b/iu,
  /^(?:tell|show) (?:me|us)\b|\b(?:tell me|let me know|(?:want|like) to (?:know|understand))\b/iu,
  /^(?:list|count|compare) (?:all|the|every|each|any|both|which|what|how|\S+\.\w+)\b/iu,
  /^(?:say|answer|tell|find out) (?:only |just )?(?:which|what|why|how|where|when|whether|if|who)\b/iu,
  /\b(?:only|just) answer\b|\banswer only\b/iu,
] as const;
const BE_OR_DO = '(?:is|are|was|were|do|does|did|has|have|can|could|will|would|should|must)';
/** How a question begins, where its mark is missing and nothing else is said. */
const ALONE = new RegExp(
  `^(?:(?:what|why|how|which|who|whose)\\b|(?:where|when) ${BE_OR_DO}\\b|(?:is|are|does|did|can|could|should)\\b)`,
  'iu',
);

/** "Don't change anything else" and "any file in test/" forbid something, but not every change. */
const CHANGES_NOTHING =
  /\b(?:(?:do not|don't|dont) (?:change|modify|edit|touch) (?:anything|any files?)|(?:change|modify|edit|touch) nothing)(?=\s*(?:[.,;:!?)\n]|$))(?!\s*,?\s*(?:except|but|other|else|besides|apart|unless|outside)\b)/iu;
const ASKS_FOR_WORDS = /\?|\b(?:only|just) (?:answer|tell|say|explain|want to know)\b|\banswer only\b/iu;

/** Whether a request asks something instead of asking for a change. */
export function isQuestion(request: string): boolean {
  const sentences = sentencesOf(request);
  if (sentences.some(wantsChange)) return false;
  if (sentences.some(asks)) return true;
  const [only = ''] = sentences;
  return sentences.length === 1 && ALONE.test(only);
}

/** Whether a request asks something and says that nothing is to be changed. */
export function forbidsChanges(request: string): boolean {
  const text = plain(request);
  return CHANGES_NOTHING.test(text) && ASKS_FOR_WORDS.test(text);
}

const plain = (request: string): string => request.slice(0, MAX_CHARS).replaceAll('’', "'");

/** Without what is in front of a sentence's first word, polite words too. */
function sentencesOf(request: string): string[] {
  return plain(request)
    .split(/(?<=[.!?;:])\s+|\n+/u)
    .map((sentence) => sentence.replace(/^\W+/u, '').replace(POLITE, '').trim())
    .filter((sentence) => sentence !== '');
}

function wantsChange(sentence: string): boolean {
  if (STARTS_WITH_CHANGE.test(sentence) || WRITES_DOWN.test(sentence)) return !CHANGES_NOTHING.test(sentence);
  // What is asked for in a question is what to say about it.
  if (sentence.endsWith('?') || ALONE.test(sentence)) return false;
  return OBLIGES.test(sentence) || GOES_ON_WITH_CHANGE.test(sentence);
}

const asks = (sentence: string): boolean =>
  sentence.endsWith('?') || ASKS.some((pattern) => pattern.test(sentence));
