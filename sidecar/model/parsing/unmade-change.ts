/**
 * Tells an answer that stands for a change that nobody made: code to copy, a refusal to touch files, a question, a
 * plan, or the claim that it is done. Small models end tasks like this; only where no file changed is it asked for.
 */
const maxLength = 8000;

const signs: readonly RegExp[] = [
  // Code, which the model wants somebody to put into a file.
  /^[ \t]{0,12}```[^\n`]*\n[\s\S]*?\S/m,
  // The same without a fence: a line that begins a definition.
  /^[ \t]{0,12}(?:(?:export|async|function|class|const|func|fn)\b[^\n]*[{;(][ \t]*$|(?:async )?def \w+\()/m,
  /^(?:\*\*\* Begin Patch|<<<<<<< SEARCH|diff --git |--- \S+\n\+\+\+ )/m,
  // A call in a form that nobody reads: `{"read": …}`, `Action: read_file`, `<tool_use>`.
  /^\s*\{[\s\S]*\}\s*$/,
  /^(?:action|tool|function|command) ?: ?\S/im,
  /^\s*<[a-z][\w-]*(?:>|\s[^>\n]*>)/i,
  // "I will first read the file", in other languages of small models' makers and users.
  /我将|我会|我需要|让我|接下来|已修复|已修改|已更新/,
  /\b(?:ich (?:werde|habe)|lass mich|voy a|he (?:corregido|actualizado)|je vais|j'ai (?:corrigé|modifié))(?!\w)/,
  // "I cannot access files on your computer."
  /\b(?:cannot|can't|can not|unable to|not able to|don't have (?:the ability|access|permission)|do not have (?:the ability|access|permission))\b.{0,60}\b(?:files?|director|folder|code|repositor|project|comput|system|environment|execute|run|tools?)/,
  // "Please paste the content of a.py."
  /\b(?:please|could you|can you|would you) (?:please )?(?:provide|share|paste|upload|send|show|give me|tell me|clarify|specify|confirm|copy|replace|update|change|add|apply|run)\b/,
  /\b(?:here(?:'s| is| are)|follow(?:ing)?|these|my|the) (?:(?:the|a|my) )?(?:plan|steps)\b/,
  // "I have fixed add()."
  /\b(?:i|i've|i have|we|we've|we have) (?:just |now |already |also |successfully )?(?:fixed|updated|changed|added|created|implemented|modified|edited|replaced|removed|renamed|refactored|corrected|rewritten|written|wrote|made the)\b/,
  /\b(?:has|have) been (?:now |successfully )?(?:fixed|updated|changed|added|created|implemented|modified|edited|replaced|removed|renamed|refactored|corrected|rewritten|written|made|applied)\b/,
  // "Changes:" over a list, "- Added the function".
  /^[ \t#*]{0,8}(?:full |required |necessary )?change(?:s|d files)(?: made| required)?[*:]{0,4}[ \t]*$/im,
  /^[ \t]{0,8}(?:[-*•]|\d{1,2}[.)])[ \t*]{1,6}(?:fixed|updated|changed|added|created|implemented|modified|edited|replaced|removed|renamed|refactored|corrected|rewrote|wrote)\b/im,
];

/** Whether an answer speaks of a change, as one that was made or that somebody else is to make. */
export function standsForChange(content: string): boolean {
  const text = content.slice(0, maxLength).replaceAll('’', "'");
  const lower = text.toLowerCase();
  return signs.some((sign) => sign.test(text) || sign.test(lower));
}
