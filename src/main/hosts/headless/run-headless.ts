import type { Readable } from 'node:stream';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { DrivingProgram, HeadlessSession } from '../../app/headless-session';
import type { HeadlessCommand } from '../common/command-line/command';
import { endingCode } from './exit-code';
import {
  answerOne,
  complainAboutSettings,
  giveUp,
  type HeadlessParts,
  hearAgents,
  type InputSource,
  inSession,
  printBetween,
} from './in-session';
import { openInstalled } from './install-first';
import { createPrinter } from './printer';
import { createProgramBroker } from './program-questions';
import { effectsOn, runDriven } from './run-driven';
import { createToolLink } from './tool-link';

/** Answers the prompts of one `lathe -p` and gives the exit code. Leaves no process of its own behind. */
export function runHeadless(command: HeadlessCommand, parts: HeadlessParts): Promise<number> {
  if (command.setsUpOnly === true) return setUp(command, parts);
  return command.inputFormat === 'stream-json'
    ? runDriven(command, parts)
    : answerOnce(command, parts);
}

/** `--init-only`: the hooks of the beginning run, and no prompt. */
async function setUp(command: HeadlessCommand, parts: HeadlessParts): Promise<number> {
  const printer = createPrinter(command, parts);
  const opened = await openInstalled(command.options, undefined, parts, printer);
  if (opened === null) return endingCode(parts.ending);
  return inSession(opened, parts, printer, async (session) => {
    await printer.opened(session);
    complainAboutSettings(session, undefined, parts, printer);
    const between = printBetween(session, printer);
    await session.begin();
    await between.end();
    return true;
  });
}

/** `--input-format text`: one prompt. */
async function answerOnce(command: HeadlessCommand, parts: HeadlessParts): Promise<number> {
  const printer = createPrinter(command, parts);
  // A session with a deferred call needs no prompt.
  const given = command.prompt ?? (command.options.resume === undefined ? null : '');
  const prompt = await untilEnded(readTextPrompt(parts.input, given, parts.complain), parts.ending);
  if (prompt === null) return endingCode(parts.ending);
  const mayGoOn = !prompt.ok && prompt.error.code === 'no_prompt' && command.options.resume;
  if (!prompt.ok && !mayGoOn) return giveUp(printer, prompt);
  let asking: HeadlessSession | null = null;
  const { promptTool } = command;
  const opened = await openInstalled(
    command.options,
    promptTool === undefined ? undefined : toolAnswers(promptTool, () => asking, parts.complain),
    parts,
    printer,
  );
  if (opened === null) return endingCode(parts.ending);
  if (opened.ok) asking = opened.value;
  return inSession(opened, parts, printer, async (session) => {
    if (!prompt.ok && !session.deferred()) {
      await printer.failed(prompt.error);
      return false;
    }
    await printer.opened(session);
    complainAboutSettings(session, promptTool, parts, printer);
    const between = printBetween(session, printer);
    const good = await answerOne(prompt.ok ? prompt.value : null, session, printer, parts.ending);
    const heard = await hearAgents(session, printer, parts.ending, good, between.done);
    await between.end();
    return heard;
  });
}

/** Returns the part of a program that a tool of a tool server plays: it answers questions about calls. */
const toolAnswers = (
  tool: string,
  session: () => HeadlessSession | null,
  complain: HeadlessParts['complain'],
): DrivingProgram => ({
  createBroker: createProgramBroker(createToolLink(tool, session, complain), () => {
    const open = session();
    return open && effectsOn(open);
  }),
  hooks: [],
  runHook: async () => ({ kind: 'failed', message: 'no program drives this session' }),
});

/** Returns the value, or null when the run ends first. */
function untilEnded<T>(value: Promise<T>, ending: AbortSignal): Promise<T | null> {
  if (ending.aborted) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    const stop = () => resolve(null);
    ending.addEventListener('abort', stop, { once: true });
    value.then(
      (settled) => {
        ending.removeEventListener('abort', stop);
        resolve(settled);
      },
      (error) => {
        ending.removeEventListener('abort', stop);
        reject(error);
      },
    );
  });
}

/** More than this on standard input is no prompt. Characters. */
const MAX_INPUT_CHARS = 10_000_000;
/** With a prompt on the command line, a pipe in which nothing comes for this long is taken for idle. Milliseconds. */
const IDLE_PIPE_MS = 3_000;

/** Reads the one prompt of `--input-format text`: the command line's, standard input's, or both, in that order. */
async function readTextPrompt(
  input: InputSource,
  fromCommandLine: string | null,
  warn: (line: string) => void,
): Promise<Result<string>> {
  const piped = input.isTerminal
    ? ok('')
    : await readAll(input.stream, fromCommandLine === null ? null : IDLE_PIPE_MS, warn);
  if (!piped.ok) return piped;
  const parts = [fromCommandLine ?? '', piped.value].filter((part) => part.trim() !== '');
  return parts.length === 0
    ? err(fault('no_prompt', 'There is no prompt.', 'Give one: lathe -p "…", or pipe it in.'))
    : ok(parts.join('\n\n'));
}

function readAll(
  stream: Readable,
  idleMs: number | null,
  warn: (line: string) => void,
): Promise<Result<string>> {
  return new Promise((resolve) => {
    const chunks: string[] = [];
    let size = 0;
    const settle = (result: Result<string>) => {
      clearTimeout(idle);
      stream.removeAllListeners('data').removeAllListeners('end').removeAllListeners('error');
      stream.pause();
      resolve(result);
    };
    const idle =
      idleMs === null
        ? undefined
        : setTimeout(() => {
            warn(`Nothing came on standard input for ${idleMs / 1000} s; going on without it.`);
            settle(ok(''));
          }, idleMs);
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      clearTimeout(idle);
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_INPUT_CHARS) settle(err(tooLarge()));
    });
    stream.on('end', () => settle(ok(chunks.join(''))));
    stream.on('error', () => settle(ok(chunks.join(''))));
  });
}

const tooLarge = () =>
  fault(
    'input_too_large',
    `Standard input has more than ${MAX_INPUT_CHARS / 1e6} million characters.`,
    'Save it to a file and name the file in the prompt.',
  );
