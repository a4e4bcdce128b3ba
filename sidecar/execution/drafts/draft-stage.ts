/**
 * Drafts: one question, several answers, the checks choose. Each answer is put into a tree of its own and checked there;
 * the task's tree changes once, when a draft has been chosen and the choice is in the journal. A task that is resumed
 * lives through its answers again, checks only what was not checked, and writes the same files.
 */
import type { VerificationReport } from '../../protocol/result.ts';
import type { ChatReply } from '../../model/chat.ts';
import type { SolvingProfile } from '../../model/catalog-schema.ts';
import { askAndRecord } from '../asking/ask.ts';
import { Conversation } from '../asking/conversation.ts';
import { UNLIMITED_TURNS, type Stage } from '../asking/stage.ts';
import { Checkpoint } from '../journal/checkpoint.ts';
import { hearAll, keptMessage } from '../agent-loop/first-message.ts';
import { steerMessage } from '../../prompt/loop-messages.ts';
import type { ReadyModel } from '../models/ready-model.ts';
import type { Ending } from '../task/ending.ts';
import { hasTried, type TaskRun } from '../task/task-run.ts';
import { bestStart, mostVoted } from './choose.ts';
import { passesAll, type Draft } from './draft.ts';
import { writeFiles } from './draft-tree.ts';
import { isChoiceWritten, keepChoice, keepChoiceWritten, keptChoice, type Choice } from './kept-choice.ts';
import { draftSystem } from './question.ts';
import { readDraft } from './read-draft.ts';
import { draftToMend, repairConversation } from './repair.ts';
import { tellDraft } from './tell-draft.ts';
import { tryDraft } from './try-draft.ts';

/** The stage's name in the journal. */
export const DRAFTS_STAGE = 'drafts';
/** The first answer is the likeliest one, the others are to differ. */
const FIRST_TEMPERATURE = 0;
const OTHER_TEMPERATURE = 0.8;
/** Seeds of one attempt; the next one has others. */
const SEEDS_PER_ATTEMPT = 100;
/** An answer that is much longer than what it was shown has lost its way. */
const MIN_ANSWER_TOKENS = 600;
const MAX_ANSWER_TOKENS = 2_000;

export interface DraftsOptions {
  run: TaskRun;
  model: ReadyModel;
  solving: Pick<SolvingProfile, 'drafts' | 'repairs'>;
  /** The question; made once, a resumed task has it in its journal. */
  question: () => Promise<string>;
  /** How much the question shows; an answer needs to be little longer. */
  shownTokens: number;
  /** Paths that the question shows, most relevant first. */
  shown: readonly string[];
  /** What the checks say of the untouched tree; undefined where there are none. Slow ones are awaited with the first answer. */
  base: Promise<VerificationReport | undefined>;
  /** Tests and scripts of the checks stay as they are. */
  mayChange: (path: string) => boolean;
}

/** `ending`: the task has to stop. Without one, `choice` says what the tree holds now. */
export type DraftsOutcome = { ending: Ending } | { choice: Choice };

/** Draws drafts until one passes, and puts the chosen one into the task's tree. Rejects only for a failing disk. */
export async function runDrafts(options: DraftsOptions): Promise<DraftsOutcome> {
  const { run } = options;
  const past = keptChoice(run.journal);
  const drawn = await drawDrafts(options, past !== undefined);
  if ('ending' in drawn) return drawn;
  const choice = past ?? choose(drawn.drafts, await options.base);
  if (!past) keepChoice(run.journal, choice);
  if (isChoiceWritten(run.journal)) return { choice };
  const written = await writeFiles(run, choice.files);
  if (!written.ok)
    run.emit({ event_type: 'status', text: `The draft was not taken: ${written.failure.message}` });
  if (written.ok) keepChoiceWritten(run.journal);
  return { choice: written.ok ? choice : { ...choice, kind: 'none', files: [] } };
}

function choose(drafts: readonly Draft[], base: VerificationReport | undefined): Choice {
  if (!base || passesAll(base)) return chooseByVote(drafts, base);
  const solved = drafts.find(({ report }) => passesAll(report));
  if (solved)
    return chosen('solved', solved, `Draft ${solved.number} of ${drafts.length} passes the checks.`);
  const none = `None of ${drafts.length} drafts passes the checks.`;
  const start = bestStart(drafts, base);
  return start ? chosen('start', start, none) : { kind: 'none', files: [], output: none };
}

function chooseByVote(drafts: readonly Draft[], base: VerificationReport | undefined): Choice {
  const vote = mostVoted(drafts.filter(({ report }) => !base || passesAll(report)));
  const why = base ? 'The checks passed already' : 'There are no checks';
  if (!vote) return { kind: 'none', files: [], output: `${why}; no two of ${drafts.length} drafts agree.` };
  return chosen('voted', vote.draft, `${why}; ${vote.voices} of ${drafts.length} drafts make this change.`);
}

const chosen = (kind: Choice['kind'], draft: Draft, why: string): Choice => ({
  kind,
  files: [...draft.files],
  output: [draft.reason, why].filter(Boolean).join('\n\n'),
});

/** Asks for one draft after the other. With `onlyRelive` only what the journal has is gone through, for its figures. */
async function drawDrafts(
  options: DraftsOptions,
  onlyRelive: boolean,
): Promise<{ drafts: Draft[] } | { ending: Ending }> {
  const { run, solving } = options;
  const stage = await openStage(options);
  const drafts: Draft[] = [];
  for (let number = 1; number <= solving.drafts; number += 1) {
    if (onlyRelive && !stage.checkpoint.hasAnswer(number)) break;
    const drawn = await drawDraft(options, stage, number, onlyRelive ? undefined : drafts);
    if ('ending' in drawn) return drawn;
    drafts.push(drawn.draft);
    run.observer?.roundEnded();
    if (isEnough(drafts, await options.base)) break;
  }
  return { drafts };
}

/** The first that passes is taken; where checks cannot choose, the first two that agree. */
function isEnough(drafts: readonly Draft[], base: VerificationReport | undefined): boolean {
  if (base && !passesAll(base)) return passesAll(drafts.at(-1)?.report);
  return mostVoted(drafts.filter(({ report }) => !base || passesAll(report))) !== undefined;
}

async function openStage({ run, model, question }: DraftsOptions): Promise<Stage> {
  const checkpoint = new Checkpoint(run.journal, DRAFTS_STAGE);
  const { text, isNew } = await keptMessage(checkpoint, question);
  const conversation = Conversation.withSystem(draftSystem(model.entry.prompt), text);
  if (isNew) hearAll(conversation.messages, run.observer);
  return { run, model, purpose: 'agentic', conversation, checkpoint, turns: UNLIMITED_TURNS };
}

async function drawDraft(
  options: DraftsOptions,
  stage: Stage,
  number: number,
  earlier: readonly Draft[] | undefined,
): Promise<{ draft: Draft } | { ending: Ending }> {
  const { run, solving } = options;
  const startedMs = run.clock.monotonicMs();
  const isNew = !stage.checkpoint.hasAnswer(number);
  takeSteering(stage, number);
  const mends = draftToMend(earlier ?? [], solving.repairs);
  const asking = nextStage(stage, {
    shownTokens: options.shownTokens,
    number,
    mends,
    base: mends && (await options.base),
  });
  const temperature = asking.sampling?.temperature ?? FIRST_TEMPERATURE;
  const told =
    earlier && tellDraft(run.emit, { number, of: solving.drafts, temperature, mends: mends?.number });
  const asked = await askAndRecord(asking, number);
  if (!asked.ok) return asked;
  const { reply } = asked.answer;
  if (isNew && number === 1) learnPrefill(options, reply);
  if (!earlier) return { draft: { number, files: [], reason: '', answer: '' } };
  const read = await readDraft({ ...options, mends }, number, reply);
  const draft = (await options.base) ? await tryDraft(run, earlier, read) : read;
  told?.(draft, run.clock.monotonicMs() - startedMs);
  return { draft };
}

/** What a person said since the last draft is told with the next one. */
function takeSteering({ checkpoint, conversation, run }: Stage, number: number): void {
  for (const text of checkpoint.steering(number, () => run.control.takeSteering())) {
    conversation.add(steerMessage(text));
    if (!checkpoint.hasAnswer(number)) run.observer?.said('USER', text);
  }
}

interface Next {
  shownTokens: number;
  number: number;
  mends: Draft | undefined;
  base: VerificationReport | undefined;
}

/** The stage with the conversation and the sampling of the next draft. */
function nextStage(stage: Stage, { number, mends, base, shownTokens }: Next): Stage {
  const room = Math.min(MAX_ANSWER_TOKENS, Math.floor(stage.model.session.windowTokens / 4));
  const maxTokens = Math.min(room, MIN_ANSWER_TOKENS + Math.floor(shownTokens / 2));
  const { run, model } = stage;
  const isLikeliest = mends !== undefined || (number === 1 && !hasTried(run, model.name));
  const temperature = isLikeliest ? FIRST_TEMPERATURE : OTHER_TEMPERATURE;
  const seed = number + SEEDS_PER_ATTEMPT * ((run.attempt?.number ?? 1) - 1);
  const conversation = mends ? repairConversation(stage.conversation, mends, base) : stage.conversation;
  return { ...stage, conversation, sampling: { temperature, seed, maxTokens } };
}

/** The first draft reads all of the brief; what the others read is cached. */
function learnPrefill({ run, model }: DraftsOptions, { tokensIn, promptEvalNs }: ChatReply): void {
  run.prefillRates?.learn(model.name, { promptTokens: tokensIn, promptEvalNs });
}
