/** `dev scripted-model`: serves a scenario's answers like Ollama, until it is stopped. */
import { startScriptedModel } from '../../model/scripted/server.ts';
import { errorMessage, isCodedError } from '../../base/values/errors.ts';
import { EXIT, createUsageError } from '../exit-codes.ts';
import { waitForAbort, runInterruptible } from '../interruption.ts';
import { createTerminal } from '../terminal.ts';

export const scriptedModelCommand = (
  scenario: string,
  { port, json }: { port?: number; json?: boolean },
): Promise<void> =>
  runInterruptible(async ({ firstSignal }) => {
    const model = await startScriptedModel({ scenario, port }).catch((error: unknown) => {
      const isPortTaken = isCodedError(error) && error.code === 'EADDRINUSE';
      const advice = isPortTaken ? '. Choose another port with --port.' : '';
      throw createUsageError('usage_invalid', `${errorMessage(error)}${advice}`);
    });
    try {
      const terminal = createTerminal(json);
      if (terminal.json) terminal.data({ url: model.url });
      else
        terminal.line(
          `The scripted model listens on ${model.url} (set ollama.url to this address). Press Ctrl-C to stop.`,
        );
      await waitForAbort(firstSignal);
      return EXIT.ok;
    } finally {
      await model.close();
    }
  });
