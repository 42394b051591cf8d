import { z } from 'zod';

/** One pty in the terminal host. Sizes are character cells; times epoch milliseconds. */
export const TerminalInfo = z.object({
  id: z.string(),
  /** `shell`: a user's own interactive shell. `command`: one command of the agent. */
  kind: z.enum(['shell', 'command']),
  sessionId: z.string(),
  project: z.string(),
  callId: z.string().optional(),
  taskId: z.string().optional(),
  title: z.string(),
  /** The name that the user gave it. */
  name: z.string().exactOptional(),
  /** The title that its program set last. */
  programTitle: z.string().exactOptional(),
  /** It goes on when Lathe quits. */
  pinned: z.boolean().exactOptional(),
  /** It rang while nobody looked. */
  bell: z.boolean().exactOptional(),
  /** It has printed since somebody last looked. */
  unread: z.boolean().exactOptional(),
  command: z.string().optional(),
  /** The user's profile that it was opened with. */
  profile: z.string().exactOptional(),
  /** The folder it was started in, or went to since, as its shell says. */
  cwd: z.string(),
  pid: z.number(),
  cols: z.number(),
  rows: z.number(),
  startedAt: z.number(),
  endedAt: z.number().optional(),
  /** Absent while it runs; null when a signal ended it. */
  exitCode: z.number().nullable().optional(),
  signal: z.number().optional(),
  /** A command whose keyboard the user has taken. */
  wheel: z.boolean().exactOptional(),
  /** A command that reads a line which its terminal does not show: a password, most likely. */
  secret: z.boolean().exactOptional(),
  /** No control group of the system holds its programs: one can get out of sight. */
  loose: z.boolean().exactOptional(),
  /** The version of Lathe whose terminal host holds it, where that is not this one; empty when it is not known. */
  hostVersion: z.string().exactOptional(),
  /** It ended because its terminal host did. */
  lost: z.boolean().exactOptional(),
});
export type TerminalInfo = z.infer<typeof TerminalInfo>;

/**
 * State of the terminal host: `idle` before it is needed and after it went by itself, `hung` while it does not answer,
 * `other_hung` while only one of another version does not, `lost` after one ended unexpectedly, until there is another one.
 */
export type TerminalHostState = 'idle' | 'ready' | 'hung' | 'other_hung' | 'lost';

/** The processes still alive after a kill. Empty `survivors` is the promise kept. */
export const KillReport = z.object({
  killed: z.array(z.number()),
  survivors: z.array(z.number()),
  /** No control group held what was to end: one of its programs may have got out of sight. */
  loose: z.boolean().exactOptional(),
});
export type KillReport = z.infer<typeof KillReport>;

/** Returns what may live on after a kill, as a sentence; empty when nothing can. */
export function livesOn({ survivors, loose }: KillReport): string {
  if (survivors.length > 0) return `These processes would not end: ${survivors.join(', ')}.`;
  return loose === true ? 'A program that cut every tie to its terminal may live on.' : '';
}

/** Returns what ending terminals may not end; `loose` when a control group holds not all of them. */
export const whatMayLiveOn = (loose: boolean): string =>
  loose
    ? 'Services and containers started through the system are not ended, nor is a program that cut every tie to its terminal.'
    : 'Services and containers started through the system are not ended.';

/**
 * Returns the name of a terminal for people: the user's, else what a shell's program calls it, else the shell and
 * the folder it went to. A command of the agent keeps its own: what it prints is not to be believed.
 */
export function terminalLabel(
  terminal: Pick<TerminalInfo, 'kind' | 'title' | 'name' | 'programTitle' | 'cwd' | 'project'>,
): string {
  const { kind, title, name, programTitle, cwd, project } = terminal;
  if (name !== undefined) return name;
  if (kind !== 'shell') return title;
  if (programTitle !== undefined && programTitle !== '') return programTitle;
  return cwd === project ? title : `${title} · ${cwd.split('/').findLast((p) => p !== '') ?? '/'}`;
}

/** Begins the mention of a terminal in a prompt. */
export const TERMINAL_MENTION = 'terminal:';

/** Returns what mentions each of these terminals, by id: its name, and behind it the id where several have that name. */
export function terminalMentions(terminals: readonly TerminalInfo[]): ReadonlyMap<string, string> {
  const nameOf = (terminal: TerminalInfo) => terminalLabel(terminal).toLowerCase();
  const alike = Map.groupBy(terminals, nameOf);
  return new Map(
    terminals.map((one) => {
      const name = `${TERMINAL_MENTION}${terminalLabel(one)}`;
      return [one.id, alike.get(nameOf(one))?.length === 1 ? name : `${name} ${one.id}`];
    }),
  );
}

/** Says of a terminal in the host of another version of Lathe that it is there; empty for all others. */
export const hostNote = ({ hostVersion }: Pick<TerminalInfo, 'hostVersion'>): string =>
  hostVersion === undefined
    ? ''
    : `in the terminal host of ${hostVersion === '' ? 'an earlier Lathe' : `Lathe ${hostVersion}`}`;

/** The longest name a terminal may have. Characters. */
export const MAX_TERMINAL_NAME = 80;

/** Lines kept above the screen of a terminal, in its host and in a window, unless the user wants others. */
export const SCROLLBACK_LINES = 10_000;
/** The most lines that a user may have kept. */
export const MAX_SCROLLBACK_LINES = 50_000;

/** Processes that a terminal host left running when it died, or that one of another version of Lathe holds and does not answer for, by terminal. */
export const Leftover = z.object({
  id: z.string(),
  /** The session that started them; absent for a user's own shell, and where nobody wrote it down. */
  sessionId: z.string().exactOptional(),
  command: z.string().exactOptional(),
  /** Its host lives and is of another version of Lathe, but it cannot be reached. */
  otherVersion: z.literal(true).exactOptional(),
  processes: z.array(z.object({ pid: z.number(), name: z.string() })),
});
export type Leftover = z.infer<typeof Leftover>;

/** The end of a terminal that nobody was connected to: its host leaves it beside the output file. */
export const UnheardEnd = z.object({
  exitCode: z.number().nullable(),
  signal: z.number().exactOptional(),
  bytes: z.number(),
  stopped: z.string().exactOptional(),
  note: z.string().exactOptional(),
  endedAt: z.number(),
});
export type UnheardEnd = z.infer<typeof UnheardEnd>;

/** Returns the path of an {@link UnheardEnd} for the path of an output file. */
export const unheardEndPath = (outputFile: string): string => `${outputFile}.end`;

/** One process of a terminal's tree. */
export interface ProcessFacts {
  readonly pid: number;
  readonly ppid: number;
  /** With the pid, the identity of the process. Opaque. */
  readonly startTime: string;
  /** The name of its program; empty where the system does not tell. */
  readonly name: string;
  /** Its whole command line, bounded; empty where the system does not tell. */
  readonly command: string;
  /** Epoch milliseconds. */
  readonly startedAt: number | null;
  /** The share of one processor since the last look; null at the first. */
  readonly cpu: number | null;
  /** Resident memory. Bytes. */
  readonly memory: number | null;
  /** TCP ports it listens on. */
  readonly ports: readonly number[];
}

/** The living processes of one terminal, which may have ended itself. */
export interface ProcessTree {
  readonly terminalId: string;
  readonly processes: readonly ProcessFacts[];
}
