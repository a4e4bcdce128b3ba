/**
 * What a round cannot do without, and nothing else: asks the model, reads its answer's stream, starts the command, asks
 * again with the output. The measure for what hub and worker add to that.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { answerQuestions } from './child.ts';
import { MODEL } from './lab.ts';

export interface BareOptions {
  modelUrl: string;
  /** Where commands run. */
  dir: string;
  /** `required`: each in bubblewrap, which shows the machine read-only and the folder writable. */
  sandbox: 'off' | 'required';
}

interface Message {
  role: string;
  content: string;
  tool_calls?: { function: { name: string; arguments: { command: string } } }[];
}

const { modelUrl, dir, sandbox } = JSON.parse(process.argv[2] ?? '{}') as BareOptions;
const bubblewrap = `bwrap --unshare-all --die-with-parent --ro-bind / / --dev /dev --proc /proc --bind ${dir} ${dir} --chdir ${dir}`;
const tools = [{ type: 'function', function: { name: 'shell', parameters: { type: 'object' } } }];
answerQuestions({}, run, async () => undefined);

async function run(): Promise<object> {
  const messages: Message[] = [{ role: 'user', content: `Read the files, ${randomUUID()}` }];
  for (;;) {
    const answer = await ask(messages);
    const command = answer.tool_calls?.[0]?.function.arguments.command;
    if (command === undefined) return {};
    messages.push(answer, { role: 'tool', content: await outputOf(command) });
  }
}

async function ask(messages: readonly Message[]): Promise<Message> {
  const body = JSON.stringify({ model: MODEL, stream: true, tools, messages });
  const lines = (await (await fetch(`${modelUrl}/api/chat`, { method: 'POST', body })).text()).trim();
  const parts = lines.split('\n').map((line) => (JSON.parse(line) as { message: Message }).message);
  const calls = parts.flatMap(({ tool_calls: some = [] }) => some);
  const content = parts.map((part) => part.content).join('');
  return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
}

/** Without a shell: the command is a program and its arguments. */
function outputOf(command: string): Promise<string> {
  const [file = '', ...args] = [...(sandbox === 'off' ? [] : bubblewrap.split(' ')), ...command.split(' ')];
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (piece: Buffer) => (output += piece.toString('utf8')));
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${command}: ${code}`))));
  });
}
