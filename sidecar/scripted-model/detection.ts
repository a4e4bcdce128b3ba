/**
 * Tells a scripted server from a real one, so that output can say "scripted model".
 * One mark is enough: the version is never given by an Ollama server.
 */
import { SCRIPTED_VERSION } from './models.ts';

/** Whether `/api/version` answered as a scripted server does. */
export const isScriptedVersion = (version: string): boolean => version === SCRIPTED_VERSION;
