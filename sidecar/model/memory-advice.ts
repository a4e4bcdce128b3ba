/** Advice for a server with too little memory for a model. Pure. */
import type { InstalledModel } from './chat.ts';
import { isEmbedding, isSameModel } from './choose-model.ts';
import { parameterBillionsOf } from './profile-match.ts';
import { RECOMMENDABLE_MODELS, estimateFileBytes } from './recommend.ts';

const MAX_ADVISED_MODELS = 2;
/** Minimum size of an advised window, in tokens. */
const MIN_WINDOW_TOKENS = 4096;

/** Advises a smaller model or window for a server whose memory does not suffice for `windowTokens`. */
export function adviseOnMemory(
  model: string,
  windowTokens: number,
  installed: readonly InstalledModel[],
): string {
  const ownModel = installed.find(({ name }) => isSameModel(name, model));
  const billions = parameterBillionsOf(model);
  const ownBytes = ownModel?.sizeBytes ?? (billions === undefined ? Infinity : estimateFileBytes(billions));
  const isSmaller = ({ sizeBytes }: { sizeBytes: number }): boolean => sizeBytes < ownBytes;
  const catalogModels = RECOMMENDABLE_MODELS.map(({ name, billions: size }) => ({
    name,
    sizeBytes: estimateFileBytes(size),
  }));
  const smallerInstalled = installed
    .filter((candidate) => isSmaller(candidate) && !isEmbedding(candidate))
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes);
  const advisedModels = (
    smallerInstalled.length > 0 ? smallerInstalled : catalogModels.filter(isSmaller)
  ).slice(0, MAX_ADVISED_MODELS);
  const models = advisedModels
    .map(({ name, sizeBytes }) => `${name} (${formatGibibytes(sizeBytes)})`)
    .join(' or ');
  const size = ownBytes === Infinity ? '' : ` (${formatGibibytes(ownBytes)})`;
  const modelAdvice = models === '' ? 'a smaller model' : `a smaller model than ${model}${size}: ${models}`;
  const halfTokens = Math.floor(windowTokens / 2);
  const windowAdvice =
    halfTokens < MIN_WINDOW_TOKENS
      ? ''
      : `, or a window smaller than ${windowTokens} tokens: set ollama.maxContextTokens to ${halfTokens}`;
  return `Use ${modelAdvice}${windowAdvice}`;
}

/** Formats bytes, e.g. `4.4 GiB`. */
export const formatGibibytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
