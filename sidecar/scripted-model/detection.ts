/**
 * Tells a scripted server from a real one, so that output can say "scripted model".
 * One mark is enough: the version and the family are never given by an Ollama server.
 */
import type { ModelDetails } from '../model/chat.ts';
import { SCRIPTED_FAMILY, SCRIPTED_VERSION } from './models.ts';

/** Whether `/api/version` answered as a scripted server does. */
export const isScriptedVersion = (version: string): boolean => version === SCRIPTED_VERSION;

/** Whether `/api/show` described a scripted model. */
export const isScriptedModel = (details: Pick<ModelDetails, 'family'>): boolean =>
  details.family === SCRIPTED_FAMILY;

/** Asks a server; false when it does not answer. */
export async function isScriptedServer(server: {
  version(signal?: AbortSignal): Promise<{ ok: true; value: string } | { ok: false }>;
}): Promise<boolean> {
  const answer = await server.version();
  return answer.ok && isScriptedVersion(answer.value);
}
