/**
 * Refuses commands that can only fail here, early and with a clear reason. The list helps the model and is easy to bypass; the boundary is
 * the sandbox.
 */

/** Start of a command in a line of shell code. Every repetition is bounded, so that a model's text cannot cause quadratic time. */
const COMMAND_START = String.raw`(?:^|[;&|({\n]|\bthen\b|\bdo\b|\belse\b|\bexec\b|\bxargs\b)\s{0,20}(?:[A-Za-z_]\w{0,40}=\S{0,80}\s{1,5}){0,5}(?:/usr)?(?:/local)?(?:/s?bin/)?`;

const DENIED_COMMANDS: { pattern: RegExp; reason: string }[] = [
  {
    pattern: new RegExp(`${COMMAND_START}(?:sudo|doas|pkexec|su)(?=[\\s;&|)]|$)`),
    reason: 'commands cannot gain privileges here; run the command without sudo, or skip it',
  },
  {
    pattern: new RegExp(`${COMMAND_START}(?:mkfs(?:\\.\\w+)?|fdisk|parted|wipefs|mkswap)(?=[\\s;&|)]|$)`),
    reason: 'disks cannot be formatted or partitioned from here',
  },
  {
    pattern: new RegExp(`${COMMAND_START}(?:shutdown|reboot|halt|poweroff|telinit)(?=[\\s;&|)]|$)`),
    reason: 'the machine cannot be stopped from here',
  },
  {
    pattern:
      /(?<![\w:.])([\w:.]{1,20})\s{0,5}\(\s{0,5}\)\s{0,5}\{[^}|]{0,100}\1\s{0,5}\|\s{0,5}\1\s{0,5}&[^}]{0,100}\}/,
    reason: 'this is a fork bomb',
  },
  {
    pattern: new RegExp(`${COMMAND_START}dd\\s[^;&|\\n]{0,300}\\bof=/dev/(?:sd|hd|vd|xvd|nvme|disk|mmcblk)`),
    reason: 'disks cannot be written to directly',
  },
];

/** Returns the reason why a command is refused, as a sentence for the model; undefined if it may run. */
export function findDenialReason(command: string): string | undefined {
  // Only the start is searched. A very long command is a script, which the sandbox confines as well.
  const text = command.slice(0, 20_000);
  for (const { pattern, reason } of DENIED_COMMANDS) {
    const match = pattern.exec(text);
    if (match) return `Refused: ${reason} (${match[0].trim().slice(0, 80)})`;
  }
  if (removesRoot(text))
    return 'Refused: removing / or everything below it; name the files in the workspace instead';
  return undefined;
}

function removesRoot(text: string): boolean {
  const removals = text.matchAll(new RegExp(`${COMMAND_START}rm\\s+([^;&|\\n]*)`, 'g'));
  for (const [, removalArguments = ''] of removals) {
    const words = removalArguments.split(/\s+/).map((word) => word.replace(/^["']|["']$/g, ''));
    const isRecursive = words.some((word) => /^-\w*[rR]/.test(word) || word === '--recursive');
    if (isRecursive && words.some((word) => /^\/+(\*|\.)?$/.test(word) || word === '--no-preserve-root'))
      return true;
  }
  return false;
}
