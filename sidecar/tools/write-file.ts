/** `write_file`: creates a file or replaces it whole; parent folders are made. */
import * as z from 'zod';
import type { RegisteredTool, ToolContext, ToolOutput } from './types.ts';

const schema = z.object({ file_path: z.string().min(1), content: z.string() });

/** `Wrote 42 bytes to src/a.ts (created)`; the size is that of the UTF-8 text. */
export async function writeFile(args: z.output<typeof schema>, { env }: ToolContext): Promise<ToolOutput> {
  const { created, sizeBytes } = await env.writeFile(args.file_path, args.content);
  const how = created ? 'created' : 'overwritten';
  return { text: `Wrote ${sizeBytes} bytes to ${args.file_path} (${how})`, details: { created, sizeBytes } };
}

export const writeFileTool: RegisteredTool<typeof schema> = {
  name: 'write_file',
  aliases: 'write create create_file save_file file_write write_to_file new_file overwrite_file'.split(' '),
  description: 'Create or overwrite a whole file.',
  schema,
  readOnly: false,
  changes: 'files',
  output: { maxChars: 1_000, mode: 'tail' },
  execute: writeFile,
};
