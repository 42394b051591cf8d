import type { AgentEvent } from '../../../shared/agent-event';
import { plainLine } from '../../../shared/plain-line';
import type { PlanLimits, PlanUse } from '../../../shared/plan-limits';
import type { EventLog } from '../event-log';
import type { Clock, Commands, Ids } from '../ports';

/** Between something that it may tell and its run: what comes meanwhile is told together. Milliseconds. */
const SETTLE_MS = 300;
/** A command that takes longer is ended. Milliseconds. */
const LIMIT_MS = 5_000;
/** Bytes of its output. */
const MAX_BYTES = 16 * 1024;
/** Characters of the line. */
const MAX_CHARS = 300;

export interface StatusLineOptions {
  readonly log: Pick<EventLog, 'listen'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly commands: Pick<Commands, 'run'>;
  /** Returns the command; undefined when there is none now. */
  readonly command: () => string | undefined;
  readonly cwd: () => string;
  readonly env: () => Promise<Readonly<Record<string, string>>>;
  /** Returns what the command is told. */
  readonly facts: () => Readonly<Record<string, unknown>>;
  readonly record: (event: AgentEvent) => unknown;
}

/**
 * Keeps the line of the user's own command for the status bar up to date: at the start, and after an answer or a change of
 * model or mode, one run at a time. Returns what ends it.
 */
export function keepStatusLine(options: StatusLineOptions): () => Promise<void> {
  const { log, clock, record } = options;
  const over = new AbortController();
  let shown = '';
  let told = '';
  let wanted = false;
  let running: Promise<void> | null = null;

  const show = (text: string) => {
    if (text === shown || over.signal.aborted) return;
    shown = text;
    record({ type: 'status_line', text });
  };
  const tell = (text: string) => {
    if (text === told || over.signal.aborted) return;
    told = text;
    record({ type: 'notice', level: 'warning', code: 'status_line', text });
  };
  const once = async (command: string): Promise<void> => {
    const limit = new AbortController();
    const done = new AbortController();
    clock.sleep(LIMIT_MS, done.signal).then(() => done.signal.aborted || limit.abort());
    const ended = await options.commands.run(
      {
        id: options.ids.next('sta'),
        argv: ['bash', '--norc', '-c', command],
        cwd: options.cwd(),
        env: await options.env(),
        input: JSON.stringify(options.facts()),
        maxBytes: MAX_BYTES,
      },
      AbortSignal.any([over.signal, limit.signal]),
    );
    done.abort();
    if (ended.kind === 'exited' && ended.exitCode === 0) {
      const [line = ''] = ended.stdout.replaceAll(SEQUENCES, '').trim().split('\n');
      show(plainLine(line, MAX_CHARS));
      return;
    }
    show('');
    const why =
      ended.kind === 'failed'
        ? ended.message
        : ended.kind === 'aborted'
          ? `it took longer than ${LIMIT_MS / 1000} s`
          : `${ended.exitCode === null ? 'a signal ended it' : `exit code ${ended.exitCode}`}. ${plainLine(ended.stderr, MAX_CHARS)}`;
    tell(`The command of statusLine failed: ${why}`.trim());
  };
  const run = async (): Promise<void> => {
    while (wanted && !over.signal.aborted) {
      await clock.sleep(SETTLE_MS, over.signal);
      wanted = false;
      const command = options.command();
      if (command === undefined) show('');
      else if (!over.signal.aborted) await once(command);
    }
    running = null;
  };
  const want = () => {
    if (wanted || (options.command() === undefined && shown === '')) return;
    wanted = true;
    running ??= run();
  };
  const unlisten = log.listen(({ event }) => {
    if (CHANGES.has(event.type)) want();
  });
  want();
  return async () => {
    unlisten();
    over.abort();
    await running;
  };
}

/** Sequences for a terminal: colours, links, movements of the cursor, titles. */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with the escape character
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-Z\\^-~])/g;

const CHANGES: ReadonlySet<string> = new Set([
  'message_finished',
  'query_finished',
  'model_changed',
  'mode_changed',
  'compacted',
  'conversation_cleared',
  'rewound',
]);

/** Returns the use of a plan as commands of the ecosystem read it. */
export const rateLimits = ({ windows: { five_hour, seven_day } }: PlanLimits) => {
  const windowOf = ({ used = 0, resetsAt }: PlanUse) => ({
    used_percentage: used * 100,
    ...(resetsAt === undefined ? {} : { resets_at: resetsAt }),
  });
  return {
    ...(five_hour === undefined ? {} : { five_hour: windowOf(five_hour) }),
    ...(seven_day === undefined ? {} : { seven_day: windowOf(seven_day) }),
  };
};
