/** Advice for a server with too little memory for a model. Pure. */
import type { InstalledModel } from './chat.ts';
import { isEmbedding, isSameModel } from './choose-model.ts';
import { billionParameters } from './profile-match.ts';
import { CANDIDATES, fileBytes } from './recommend.ts';

const MAX_ADVISED = 2;
/** Limit below which a smaller window is not advised. */
const MIN_WINDOW_TOKENS = 4096;

/** Advises a smaller model or window if the memory does not even suffice for `windowTokens`. */
export function memoryAdvice(
  model: string,
  windowTokens: number,
  installed: readonly InstalledModel[],
): string {
  const own = installed.find(({ name }) => isSameModel(name, model));
  const billions = billionParameters(model);
  const ownBytes = own?.sizeBytes ?? (billions === undefined ? Infinity : fileBytes(billions));
  const isSmaller = ({ sizeBytes }: { sizeBytes: number }): boolean => sizeBytes < ownBytes;
  const known = CANDIDATES.map(({ name, billions: size }) => ({ name, sizeBytes: fileBytes(size) }));
  const there = installed
    .filter((one) => isSmaller(one) && !isEmbedding(one))
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes);
  const named = (there.length > 0 ? there : known.filter(isSmaller)).slice(0, MAX_ADVISED);
  const models = named.map(({ name, sizeBytes }) => `${name} (${gibibytes(sizeBytes)})`).join(' or ');
  const size = ownBytes === Infinity ? '' : ` (${gibibytes(ownBytes)})`;
  const smaller = models === '' ? 'a smaller model' : `a smaller model than ${model}${size}: ${models}`;
  const half = Math.floor(windowTokens / 2);
  const window =
    half < MIN_WINDOW_TOKENS
      ? ''
      : `, or a smaller window than ${windowTokens} tokens: ollama.maxContextTokens ${half}`;
  return `Use ${smaller}${window}`;
}

const gibibytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
