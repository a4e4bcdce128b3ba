/** The tool that submits a task to the hub. It checks the arguments first, so that an impossible task is not submitted. */
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import * as z from 'zod';
import type { HubClient } from '../client/hub-client.ts';
import { mayChangeChecksSchema } from '../../base/protocol/task.ts';
import { resolveSource } from '../../workspace/repository-source.ts';
import { factsOf } from './task-tools.ts';
import { createFailedAnswer, createDataAnswer, shortenTaskLine, declareTool } from './tool.ts';

const MAX_ATTEMPTS = 16;
const MAX_NAMED_MODELS = 30;

export const submitTaskTool = declareTool({
  name: 'submit_task',
  description:
    'Submit a coding task to the hub. Returns its task_id at once. The worker changes a copy of the repository; nothing is merged until apply_result is called.',
  input: z.strictObject({
    text: z
      .string()
      .trim()
      .min(1)
      .max(200_000)
      .describe('The task, exact and complete: the model sees only this text and the repository'),
    repo: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('Repository: a folder, or an https:// or ssh:// address; default: an empty folder'),
    branch: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .describe('Branch to start from; default: the checked-out branch'),
    checks: z
      .array(z.string().trim().min(1).max(4096))
      .max(50)
      .optional()
      .describe('Commands that must succeed when the task is done, e.g. "npm test"'),
    may_change_checks: mayChangeChecksSchema
      .optional()
      .describe('Tests and settings that the task may change: true for all, or globs; default: none'),
    model: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('A model of list_models; default: the worker chooses'),
    attempts: z
      .int()
      .min(1)
      .max(MAX_ATTEMPTS)
      .optional()
      .describe('Maximum number of attempts: another one starts if the checks fail'),
  }),
  hints: { readOnlyHint: false, destructiveHint: false },
  async run({ text, repo, branch, checks, may_change_checks, model, attempts }, { hub, host: { folder } }) {
    if (repo !== undefined && folder === undefined && !isAbsolute(repo) && !isAddress(repo)) {
      return createFailedAnswer(
        `"${shortenTaskLine(repo)}" is not an address that a worker can use. Write an absolute path on its machine, or an https:// or ssh:// address.`,
      );
    }
    if (repo !== undefined && folder !== undefined && isOnThisMachine(hub.url)) {
      const source = await resolveSource(resolveRepo(repo, folder));
      if (!source.ok) return createFailedAnswer(`${source.failure.message}. Nothing was submitted.`);
    }
    const missing = model === undefined ? undefined : await findMissingModel(model, hub);
    if (missing !== undefined) return createFailedAnswer(missing);
    const task = await hub.submit({
      description: text,
      ...(repo !== undefined && { repo: resolveRepo(repo, folder) }),
      ...(branch !== undefined && { branch }),
      ...(model !== undefined && { model }),
      ...(checks && { verification_steps: checks.map((target) => ({ type: 'command_succeeds', target })) }),
      ...(may_change_checks !== undefined && { may_change_checks }),
      ...(attempts !== undefined && { metadata: { attempts } }),
    });
    return createDataAnswer(
      factsOf(task),
      `task_id: ${task.task_id}\nstatus: ${task.status}\nnext: wait_for_task`,
    );
  },
});

/** Detects `https://…`, `host:path` and `~/…`, which the worker resolves. */
const isAddress = (repo: string): boolean => /^[^/]+:|^~\//u.test(repo);

/** Resolves a path relative to the caller's folder; addresses stay unchanged. */
export function resolveRepo(repo: string, folder: string | undefined): string {
  if (folder === undefined || isAbsolute(repo)) return repo;
  const path = resolve(folder, repo);
  return isAddress(repo) && !existsSync(path) ? repo : path;
}

const LOOPBACK_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/u;
const isOnThisMachine = (url: string): boolean => LOOPBACK_HOST.test(new URL(url).hostname);

/**
 * Returns why no worker offers the model; undefined if a connected worker has it, or if no worker reports its models.
 */
async function findMissingModel(model: string, hub: HubClient): Promise<string | undefined> {
  const models = (await hub.workers()).filter(({ connected }) => connected).flatMap((one) => one.models);
  const names = [...new Set(models)];
  if (names.length === 0 || names.some((name) => name === model || name === `${model}:latest`))
    return undefined;
  const shownNames = names.slice(0, MAX_NAMED_MODELS).map((name) => shortenTaskLine(name));
  return `No connected worker has ${shortenTaskLine(model)}; available: ${shownNames.join(', ')}. Nothing was submitted.`;
}
