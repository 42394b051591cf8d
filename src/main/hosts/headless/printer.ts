import { type AgentEvent, MAIN_AGENT } from '../../../shared/agent-event';
import type { HookOutcome, HookReport } from '../../../shared/hooks';
import type { Fault } from '../../../shared/result';
import { createShownAnswer } from '../../../shared/shown-answer';
import type { HeadlessSession } from '../../app/headless-session';
import type { Clock } from '../../engine/ports';
import type { HeadlessCommand } from '../common/command-line/command';
import type { Json } from './api-shape';
import { createCallBeats } from './call-beats';
import type { Prompt } from './json-input';
import type { Output } from './output';
import { createWarnings, faultLine, faultText } from './result-line';
import { keySource, PROTOCOL_VERSION } from './session-facts';
import { createLineMapper } from './stream-json';

/** The printer of one output format. */
export interface Printer {
  /** `showsAgentText`: the program wants what sub-agents say, whatever the command line says. */
  opened(session: HeadlessSession, showsAgentText?: boolean): Promise<void>;
  event(event: AgentEvent, agentId: string): Promise<void>;
  /** There is no query whose end could tell this. */
  failed(problem: Fault): Promise<void>;
  /** A line of the control protocol; only programs that read stream-json speak it. */
  control(line: Json): Promise<void>;
  /** A prompt whose turn has come, for programs that want to see it. */
  replayed(prompt: Prompt, id: string | undefined): Promise<void>;
  /** Lists a warning with the next result. */
  warn(text: string): void;
  /** After the last event. `lost`: what of the conversation could not be saved; null where all was. */
  finished(lost: string | null): Promise<void>;
}

/** The parts of a printer: where it writes, and what it stamps lines with. */
export interface PrinterParts {
  readonly out: Output;
  /** Standard error: one line for a user. */
  complain(line: string): void;
  readonly version: string;
  uuid(): string;
  readonly clock: Clock;
  /** Makes of a line of stream-json the one that its reader knows; null where it knows none. */
  known(line: Json): Json | null;
}

/** Creates the printer of a command's output format. */
export function createPrinter(command: HeadlessCommand, parts: PrinterParts): Printer {
  if (command.outputFormat === 'text') return textPrinter(parts);
  const send =
    command.outputFormat === 'stream-json' ? streaming(parts) : collecting(command, parts);
  let lines: ReturnType<typeof createLineMapper> | null = null;
  let opened: HeadlessSession | null = null;
  const warnings = createWarnings();
  const stamp = () => ({ uuid: parts.uuid(), session_id: opened?.sessionId ?? '' });
  const beats =
    command.outputFormat === 'stream-json'
      ? createCallBeats(parts.clock, (fields) =>
          send.line({ ...fields, ...stamp() }).catch(() => {}),
        )
      : null;
  return {
    async opened(session, showsAgentText = false) {
      opened = session;
      const context = {
        sessionId: session.sessionId,
        uuid: parts.uuid,
        spent: session.spent,
        structuredOutput: session.structuredOutput,
        shownInput: session.watchInputs(),
      };
      const shows = {
        hooks: command.showsHooks === true,
        agentText: showsAgentText || command.showsAgentText === true,
      };
      lines = createLineMapper(context, command.partialMessages, shows, warnings);
      await send.line(initLine(session, parts.version, parts.uuid()));
    },
    async event(event, agentId) {
      beats?.see(event, agentId);
      for (const line of lines?.lines(event, agentId) ?? []) await send.line(line);
    },
    async failed(problem) {
      parts.complain(faultText(problem));
      await send.line({ ...faultLine(problem), uuid: parts.uuid() });
    },
    control: (line) => send.line(line),
    replayed: async (prompt, id) => {
      await send.line({
        type: 'user',
        message: { role: 'user', content: prompt },
        parent_tool_use_id: null,
        isReplay: true,
        session_id: opened?.sessionId ?? '',
        uuid: id ?? parts.uuid(),
      });
    },
    warn: warnings.add,
    finished: async (lost) => {
      beats?.stop();
      if (lost !== null) warnings.add(lost);
      await send.finish(warnings.take());
    },
  };
}

/** Hooks that blocked something or went wrong. */
const WORTH_SAYING: ReadonlySet<HookOutcome> = new Set<HookOutcome>(['blocked', 'failed']);

const isWorthSaying = ({ outcome, knownToFail }: HookReport): boolean =>
  WORTH_SAYING.has(outcome) && knownToFail !== true;

const hookText = ({ event, subject, outcome, note, run }: HookReport): string =>
  `Hook ${event}${subject === '' ? '' : ` (${subject})`} ${outcome}: ${note} (${run.slice(0, 200)})`;

/** Prints the final text to standard output, everything that went wrong to standard error. */
function textPrinter({ out, complain }: PrinterParts): Printer {
  const answer = createShownAnswer();
  return {
    opened: async () => {},
    async event(event, agentId) {
      if (agentId === MAIN_AGENT) answer.see(event);
      if (event.type === 'notice' && (event.level !== 'info' || event.code === 'cloud_sign_in'))
        complain(event.fix === undefined ? event.text : `${event.text} ${event.fix}`);
      if (event.type === 'hook_settled' && isWorthSaying(event.report))
        complain(hookText(event.report));
      if (event.type === 'retry_waiting')
        complain(
          `${event.reason.replace(/\.$/, '')}; trying again in ${Math.ceil(event.delayMs / 1000)} s (${event.attempt} of ${event.maxAttempts}).`,
        );
      if (event.type !== 'query_finished' || agentId !== MAIN_AGENT) return;
      // A failure of the API stands where the answer would, as scripts of the ecosystem read it there.
      const isAnswer = event.terminal === 'completed' || event.failure !== undefined;
      if (isAnswer) await out.text(`${answer.shown(event.text)}\n`);
      else complain(answer.shown(event.text));
    },
    failed: async (problem) => complain(faultText(problem)),
    control: async () => {},
    replayed: async () => {},
    warn: () => {},
    finished: async () => {},
  };
}

interface LineSink {
  line(line: Json): Promise<void>;
  /** `late`: warnings that came after the last result. */
  finish(late: readonly string[]): Promise<void>;
}

/** Prints `stream-json`. A notice whose line its reader does not know is told on standard error. */
const streaming = ({ out, known, complain }: PrinterParts): LineSink => ({
  async line(line) {
    const printed = known(line);
    if (printed !== null) return out.line(printed);
    const { subtype, content, fix, text } = line;
    if (subtype === 'informational') complain([content, fix ?? []].flat().join(' '));
    if (subtype === 'notification') complain(String(text));
  },
  finish: async () => {},
});

/** Prints `json`: the result alone, or with `--verbose` an array of every line. */
function collecting(command: HeadlessCommand, { out }: PrinterParts): LineSink {
  const kept: Json[] = [];
  return {
    async line(line) {
      if (command.verbose) kept.push(line);
      else if (line['type'] === 'result') kept.splice(0, 1, line);
    },
    async finish(late) {
      const at = kept.findLastIndex(({ type }) => type === 'result');
      const result = kept[at];
      if (result !== undefined && late.length > 0)
        kept[at] = { ...result, warnings: [result['warnings'] ?? [], late].flat(2) };
      const last = kept.at(-1);
      if (last !== undefined) await out.line(command.verbose ? kept : last);
    },
  };
}

/** Features that programs may count on beside the version that is told. */
const CAPABILITIES = [
  'interrupt_cancel_queued_v1',
  'interrupt_receipt_v1',
  'mcp_read_resource_v1',
  'reload_plugins_refuse_if_busy_v1',
];

/** Returns the first line of stream-json: what this session works with. */
const initLine = (session: HeadlessSession, version: string, uuid: string): Json => ({
  type: 'system',
  subtype: 'init',
  cwd: session.cwd,
  session_id: session.sessionId,
  tools: session.tools(),
  mcp_servers: session.toolServers().map(({ name, status }) => ({ name, status })),
  model: session.model(),
  permissionMode: session.mode(),
  apiKeySource: keySource(session.apiKeySource),
  slash_commands: session.commands().map(({ name }) => name),
  agents: session.agents().map(({ name }) => name),
  output_style: session.outputStyle,
  skills: session.skills(),
  plugins: session.plugins(),
  ...pluginErrors(session.pluginProblems()),
  claude_code_version: PROTOCOL_VERSION,
  lathe_version: version,
  capabilities: CAPABILITIES,
  uuid,
});

/** Returns what is wrong with plugins as the protocol has it; without a word where nothing is. */
const pluginErrors = (problems: ReturnType<HeadlessSession['pluginProblems']>): Json =>
  problems.length === 0
    ? {}
    : {
        plugin_errors: problems.map(({ plugin, path, field = '', message }) => ({
          plugin,
          type: field === 'dependencies' ? 'dependency-unsatisfied' : 'generic-error',
          message,
          ...(path === undefined ? {} : { path }),
        })),
      };
