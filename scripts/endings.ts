/** The dashboard's module of why work and attempts ended, from the texts that the command line shows too. Pure. */
import { attemptEndings } from '../sidecar/hub/queue/attempts.ts';
import { terminationReasons, describeTermination } from '../sidecar/base/protocol/result.ts';

/** `page/endings.js`. */
export function endingsModule(): string {
  const endings = Object.fromEntries(
    terminationReasons.map((reason) => [reason, describeTermination(reason)]),
  );
  return [
    '/*\n * Why work ended, in words: made by npm run docs from protocol/result.ts and hub/queue/attempts.ts.\n */',
    `/** @type {Record<string, string>} */\nexport const endings = ${JSON.stringify(endings)};`,
    `/** @type {Record<string, string>} */\nexport const attemptEndings = ${JSON.stringify(attemptEndings)};`,
  ].join('\n\n');
}
