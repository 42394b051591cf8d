import { Readable, Writable } from 'node:stream';
import type { HeadlessSession } from '../../../src/main/app/headless-session';
import type { OutputFormat } from '../../../src/main/hosts/common/command-line/command';
import { createOutput } from '../../../src/main/hosts/headless/output';
import { runHeadless } from '../../../src/main/hosts/headless/run-headless';
import type { Stamped } from '../../../src/shared/agent-event';
import { applyEvents } from '../../../src/shared/apply-event';
import { ok } from '../../../src/shared/result';
import { emptyTranscript } from '../../../src/shared/transcript';
import { IDLE_SESSION } from '../../support/headless-session';
import { memoryClock } from '../../support/memory-clock';

/** What a headless run leaves behind. */
export interface Printed {
  readonly code: number;
  readonly stdout: string;
  /** Lines of standard error. */
  readonly complaints: readonly string[];
}

/** Returns what `lathe -p` prints of a query that went like this, and its exit code: the real host, the query replayed. */
export async function printed(
  outputFormat: OutputFormat,
  query: readonly Stamped[],
): Promise<Printed> {
  let stdout = '';
  const complaints: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      stdout += String(chunk);
      done();
    },
  });
  const session: HeadlessSession = {
    ...IDLE_SESSION,
    tools: () => ['Note'],
    model: () => 'claude-sonnet-5-5',
    spent: () => foldAll(query).costs.byModel,
    submit: async function* () {
      yield* query;
    },
  };
  const code = await runHeadless(
    {
      kind: 'headless',
      prompt: 'please begin',
      outputFormat,
      inputFormat: 'text',
      verbose: outputFormat === 'stream-json',
      partialMessages: false,
      debug: false,
      options: {
        folder: '/p',
        trust: false,
        fork: false,
        allowedTools: [],
        disallowedTools: [],
        addDirectories: [],
      },
    },
    {
      out: createOutput(stream, () => {}),
      input: { stream: Readable.from([]), isTerminal: true },
      open: async () => ok(session),
      ending: new AbortController().signal,
      complain: (line) => complaints.push(line),
      version: '1.2.3',
      uuid: () => 'u',
      clock: memoryClock(),
      known: (line) => line,
    },
  );
  return { code, stdout, complaints };
}

const foldAll = (events: readonly Stamped[]) => applyEvents(emptyTranscript('ses', ''), events);
