import type { Stamped } from '../../../shared/agent-event';
import type { RestorePoint } from '../../../shared/checkpoint';
import type { CommandInfo } from '../../../shared/contract';
import { MemoryPlace, memoryLine } from '../../../shared/memory';
import { nearestName } from '../../../shared/nearest-name';
import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import { parseSlash } from '../../../shared/slash';
import type { AgentTranscript } from '../../../shared/transcript';
import type { AgentConfig } from '../agent-state';
import type { SessionCheckpoints } from '../checkpoints/session-checkpoints';
import { contextReport } from '../context/report';
import { measureContext } from '../loop/prepare-turn';
import { contextWindowOf } from '../model/catalog';
import type { QueryEngine } from '../query-engine';

/** The kind of a text that the user wrote. */
export type RoutedInput =
  | { readonly kind: 'prompt' }
  /** A command of Lathe, by its name; `args` is the rest of the text, trimmed. */
  | { readonly kind: 'command'; readonly name: string; readonly args: string }
  /** A line for the shell that the user runs themselves. */
  | { readonly kind: 'shell'; readonly command: string };

/** The inputs that a session takes besides prompts. */
interface RouterOptions {
  /** The names of commands, in lower case. */
  readonly commands: Pick<ReadonlySet<string>, 'has'>;
  /** True when `!` runs a command: only where a user types, never where a program passes on what others wrote. */
  readonly shell: boolean;
  /** True when a line that begins with `#` is kept as a memory: where the words are a user's. */
  readonly memory?: boolean;
}

/**
 * Decides what a text asks for. Everything that is no known command and no shell line is a prompt, as are paths
 * (`/etc/hosts`) and code in a fence, whatever it begins with. Pure.
 */
export function routeInput(
  text: string,
  { commands, shell, memory = false }: RouterOptions,
): RoutedInput {
  const trimmed = text.trim();
  if (/^(```|~~~)/.test(trimmed)) return PROMPT;
  if (trimmed.startsWith('!')) {
    const command = trimmed.slice(1).trim();
    return shell && command !== '' ? { kind: 'shell', command } : PROMPT;
  }
  const kept = memory ? memoryLine(trimmed) : null;
  if (kept !== null) return { kind: 'command', name: 'remember', args: kept };
  const slash = parseSlash(trimmed);
  return slash !== null && commands.has(slash.name)
    ? { kind: 'command', name: slash.name, args: slash.rest }
    : PROMPT;
}

const PROMPT: RoutedInput = { kind: 'prompt' };

/**
 * Returns what is told of a text that begins like a command and names none of those there are; `heldBack`: the folder has
 * some that do not count. Pure.
 */
export function noCommand(name: string, names: readonly string[], heldBack: boolean): Fault {
  const near = nearestName(name, names);
  const advice = [
    ...(near === null ? [] : [`Did you mean /${near}?`]),
    ...(heldBack ? ['Commands of this folder count once you trust it.'] : []),
    'A word in front of it sends it as a prompt.',
  ];
  return fault(
    'no_command',
    `There is no command /${name}, so nothing was sent.`,
    advice.join(' '),
  );
}

/** The parts of a session that a command works with. */
export interface CommandTarget {
  readonly engine: QueryEngine;
  /** Changes model or effort of the main agent; `model` is what a user calls it. */
  configure(change: { readonly model?: string; readonly effort?: string }): Promise<Result<null>>;
  config(): AgentConfig;
  transcript(): AgentTranscript;
  /** Adds a memory to the file of a place and returns the file. */
  remember(place: MemoryPlace, text: string): Promise<Result<string>>;
  readonly checkpoints: Pick<SessionCheckpoints, 'undoable' | 'redoable' | 'restore'>;
  /** Adds a folder to work in until the session ends, and returns its real path. */
  addFolder(name: string): Promise<Result<string>>;
  /** Begins the conversation anew; `promptId` names the request. */
  clear(promptId: string | undefined, signal: AbortSignal): Promise<void>;
  /** Says what the session and the day cost. */
  costs(): Promise<string>;
}

/** One command of Lathe. Its run is a query like any other, so that it is shown, stopped and reported. */
export interface Command extends CommandInfo {
  /**
   * `user`: it is there only where one types, as a program may pass on words of strangers. `program`: only where one
   * drives the session, as the window has a command of that name itself. Absent: everywhere.
   */
  readonly of?: 'user' | 'program';
  /** `promptId`: the name that whoever sent it has for it. */
  run(args: string, target: CommandTarget, promptId?: string): AsyncIterable<Stamped>;
}

/** The commands of every session, sorted by name. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'add-dir',
    description: 'Work in one more folder, until this session ends',
    argumentHint: '<folder>',
    of: 'user',
    run: (args, { engine, addFolder }) =>
      engine.act(async () => {
        if (args === '') return err(fault('no_folder', 'Say which folder to add.'));
        const added = await addFolder(args);
        return added.ok ? ok(`${added.value} is worked in until this session ends.`) : added;
      }),
  },
  {
    name: 'clear',
    aliases: ['reset', 'new'],
    description: 'Begin the conversation anew in the same session',
    argumentHint: '',
    of: 'program',
    run: (_, { engine, clear }, promptId) =>
      engine.act(async (_deps, signal) => {
        await clear(promptId, signal);
        return ok('');
      }),
  },
  {
    name: 'compact',
    description: 'Summarise the conversation, so that there is room again',
    argumentHint: '[what to keep above all]',
    run: (args, { engine }) => engine.compact(args === '' ? undefined : args.slice(0, MAX_FOCUS)),
  },
  {
    name: 'context',
    description: 'Show where the context window goes, and what was left out',
    argumentHint: '',
    run: (_, { engine, transcript, config }) =>
      engine.act(async (deps, signal) => {
        // What a resumed session sends is known before it has sent it.
        if (transcript().context?.parts === undefined) await measureContext(deps, signal);
        return ok(contextReport(transcript(), contextWindowOf(config().model)));
      }),
  },
  {
    name: 'cost',
    description: 'Show what this session and all sessions of today cost',
    argumentHint: '',
    run: (_, { engine, costs }) => engine.act(async () => ok(await costs())),
  },
  {
    name: 'effort',
    description: 'Choose how much the model thinks',
    argumentHint: '[low|medium|high|xhigh|max]',
    run: (args, target) =>
      target.engine.act(async () => {
        if (args === '') return ok(`Effort: ${target.config().effort}.`);
        if (!EFFORTS.has(args)) {
          return err(
            fault('bad_effort', `"${args}" is no effort.`, `Use ${[...EFFORTS].join(', ')}.`),
          );
        }
        const done = await target.configure({ effort: args });
        return done.ok ? ok(`Effort: ${args}.`) : done;
      }),
  },
  {
    name: 'model',
    description: 'Choose the model that answers',
    argumentHint: '[opus|sonnet|haiku|an id]',
    run: (args, target) =>
      target.engine.act(async () => {
        if (args === '') return ok(`Model: ${target.config().model}.`);
        const done = await target.configure({ model: args });
        return done.ok ? ok(`Model: ${target.config().model}.`) : done;
      }),
  },
  {
    name: 'redo',
    description: 'Bring back what was undone last',
    argumentHint: '[overwrite]',
    run: (args, { engine, checkpoints }) =>
      engine.act(() => restoreBy('redo', checkpoints.redoable(), args, checkpoints)),
  },
  {
    name: 'remember',
    description: 'Keep something in mind for new sessions',
    argumentHint: '[project|local|user] [what]',
    run: (args, { engine, remember }) =>
      engine.act(async () => {
        const [, place = 'local', text = ''] =
          /^(?:(project|local|user)\s+)?([\s\S]*)$/.exec(args) ?? [];
        if (text === '') return err(fault('nothing_to_keep', 'Say what to keep in mind.'));
        const kept = await remember(MemoryPlace.parse(place), text);
        return kept.ok ? ok(`Kept in ${kept.value} for new sessions.`) : kept;
      }),
  },
  {
    name: 'undo',
    description: 'Take back what the last call changed in files',
    argumentHint: '[overwrite]',
    run: (args, { engine, checkpoints }) =>
      engine.act(() => restoreBy('undo', checkpoints.undoable(), args, checkpoints)),
  },
];

/** The longest wish sent along with `/compact`. Characters. */
const MAX_FOCUS = 10_000;

const EFFORTS: ReadonlySet<string> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);

/** Goes back or forth by a command, and says what came of it. */
async function restoreBy(
  command: 'undo' | 'redo',
  point: RestorePoint | null,
  args: string,
  checkpoints: CommandTarget['checkpoints'],
): Promise<Result<string>> {
  if (args !== '' && args !== OVERWRITE) {
    return err(fault('bad_argument', `/${command} takes nothing, or "${OVERWRITE}".`));
  }
  if (point === null) return err(fault('nothing_to_do', `There is nothing to ${command}.`));
  const done = await checkpoints.restore(point, args === OVERWRITE);
  if (!done.ok) return done;
  const { count, left, failed } = done.value;
  const sentences = [
    count === 0 ? 'No file was changed.' : `Restored ${count === 1 ? '1 file' : `${count} files`}.`,
    ...(left.length === 0
      ? []
      : [`Changed by somebody else and left as they are: ${listed(left)}.`]),
    ...(left.length === 0 ? [] : [`/${command} ${OVERWRITE} restores these too.`]),
    ...(failed.length === 0
      ? []
      : [`Not restored: ${listed(failed.map(({ path, why }) => `${path} (${why})`))}.`]),
  ];
  return ok(sentences.join(' '));
}

/** The word that lets a restore overwrite what somebody else changed. */
const OVERWRITE = 'overwrite';

const MAX_LISTED = 10;

const listed = (names: readonly string[]): string =>
  names.length <= MAX_LISTED
    ? names.join(', ')
    : `${names.slice(0, MAX_LISTED).join(', ')} and ${names.length - MAX_LISTED} more`;
