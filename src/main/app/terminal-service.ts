import { basename } from 'node:path';
import { err, fault, ok, type Result } from '../../shared/result';
import type { TerminalProfile } from '../../shared/settings';
import type { KillReport, Leftover, TerminalInfo } from '../../shared/terminal';
import type { Ids, TerminalSpec } from '../engine/ports';
import type { TerminalClient } from '../terminal/client/terminal-client';

/** Time a process has to come down by itself (docs/spec.md G4). Milliseconds. */
const KILL_GRACE_MS = 2000;

/** Shells that are started so that they say where their prompts are. Other programs of profiles start as they are. */
const SHELLS: ReadonlySet<string> = new Set(['bash', 'zsh', 'fish']);

/** A user's own shells, and the panes of all terminals. */
export interface TerminalService {
  list(): Promise<readonly TerminalInfo[]>;
  onChanged(listener: (terminals: readonly TerminalInfo[]) => void): () => void;
  /** Opens the user's shell, or what a profile of theirs names. */
  openShell(
    project: string,
    cols: number,
    rows: number,
    profile?: string,
  ): Promise<Result<TerminalInfo>>;
  kill(terminalId: string): Promise<Result<KillReport>>;
  dismiss(terminalId: string): Promise<Result<null>>;
  /** Gives the keyboard of a command to the user, or back. */
  takeWheel: TerminalClient['takeWheel'];
  keepLines: TerminalClient['keepLines'];
  rename: TerminalClient['rename'];
  pin: TerminalClient['pin'];
  /** Starts anew what an ended terminal ran, as the user's own, and forgets the ended one. */
  rerun(terminalId: string): Promise<Result<TerminalInfo>>;
  /** Returns what lives of each terminal, with what it uses. */
  processes: TerminalClient['processes'];
  /** Ends one process of a terminal's tree and no other. */
  killProcess: TerminalClient['killProcess'];
  openChannel: TerminalClient['openViewerChannel'];
  /** Lists what earlier terminal hosts left running when they died. */
  leftovers(): Promise<readonly Leftover[]>;
  endLeftovers(ids: readonly string[]): Promise<Result<KillReport>>;
  forgetLeftovers(): Promise<Result<null>>;
  onHostState: TerminalClient['onHostState'];
  /** Ends a terminal host that hangs, with all that runs in it, and starts another one. */
  restartHost(): Promise<Result<null>>;
  close(options: { readonly keepTerminals: boolean }): Promise<void>;
}

export interface TerminalServiceOptions {
  readonly backend: TerminalClient;
  readonly ids: Ids;
  readonly shell: string;
  readonly profiles: () => readonly TerminalProfile[];
  readonly shellEnv: () => Promise<Readonly<Record<string, string>>>;
  /** Returns how to start the user's shell interactively, in this environment. */
  readonly launchShell: (
    shell: string,
    env: Readonly<Record<string, string>>,
  ) => Promise<Pick<TerminalSpec, 'argv' | 'env'>>;
}

/** Creates the service in front of a terminal host. */
export function createTerminalService(options: TerminalServiceOptions): TerminalService {
  const { backend, ids, shell } = options;
  /** Opens a shell of the user's own; with a command, one that runs it and ends; with a profile, what that names. */
  const open = async ({
    project,
    cwd,
    cols,
    rows,
    command,
    profile: name,
  }: Pick<TerminalInfo, 'project' | 'cwd' | 'cols' | 'rows' | 'command' | 'profile'>) => {
    const profile = options.profiles().find((one) => one.name === name);
    if (name !== undefined && profile === undefined)
      return err(fault('no_profile', `There is no profile "${name}".`, 'Look at the settings.'));
    const env = { ...(await options.shellEnv()), ...profile?.env };
    const about = { id: ids.next('trm'), kind: 'shell', sessionId: '', project, cwd } as const;
    if (command !== undefined) {
      const argv = [shell, '-i', '-c', command];
      return backend.spawn({ ...about, cols, rows, title: command, command, env, argv });
    }
    const { program, args } = profile ?? { program: shell, args: [] };
    const isBare = args.length === 0 && (profile === undefined || SHELLS.has(basename(program)));
    const launch = isBare
      ? await options.launchShell(program, env)
      : { argv: [program, ...args], env };
    const title = freeTitle(profile?.name ?? basename(shell), project, await backend.list());
    return backend.spawn({
      ...{ ...about, cols, rows, title, ...launch },
      ...(profile === undefined ? {} : { profile: profile.name }),
    });
  };
  return {
    list: () => backend.list(),
    onChanged: backend.onChanged,
    openShell: (project, cols, rows, profile) =>
      open({ project, cwd: project, cols, rows, ...(profile === undefined ? {} : { profile }) }),
    rename: backend.rename,
    pin: backend.pin,
    rerun: async (terminalId) => {
      const ended = (await backend.list()).find(({ id }) => id === terminalId);
      if (ended?.endedAt === undefined)
        return err(fault('not_ended', 'Only a terminal that has ended can be run again.'));
      const started = await open(ended);
      if (!started.ok) return started;
      if (ended.name !== undefined) await backend.rename(started.value.id, ended.name);
      await backend.dismiss(terminalId);
      return started;
    },
    kill: async (terminalId) => outcomeOf(await backend.kill(terminalId, KILL_GRACE_MS)),
    dismiss: async (terminalId) => {
      await backend.dismiss(terminalId);
      return ok(null);
    },
    takeWheel: backend.takeWheel,
    keepLines: backend.keepLines,
    processes: backend.processes,
    killProcess: async (terminalId, pid, startTime) => {
      const report = await backend.killProcess(terminalId, pid, startTime);
      return report.ok ? outcomeOf(report.value) : report;
    },
    openChannel: backend.openViewerChannel,
    // Without the list of processes there is nothing to offer; nothing else depends on it.
    leftovers: () => backend.leftovers().catch(() => []),
    endLeftovers: async (ids) => outcomeOf(await backend.endLeftovers(ids)),
    forgetLeftovers: async () => {
      await backend.forgetLeftovers();
      return ok(null);
    },
    onHostState: backend.onHostState,
    restartHost: backend.restartHost,
    close: backend.close,
  };
}

const outcomeOf = (report: KillReport): Result<KillReport> =>
  report.survivors.length === 0
    ? ok(report)
    : err(
        fault(
          'survivors',
          `Could not end process ${report.survivors.join(', ')}.`,
          'It may belong to another user; end it yourself.',
        ),
      );

/** Returns a title that no shell of the project has that lives: "bash", then "bash 2". Pure. */
function freeTitle(wanted: string, project: string, listed: readonly TerminalInfo[]): string {
  const taken = new Set(
    listed.flatMap((one) =>
      one.kind === 'shell' && one.project === project && one.endedAt === undefined
        ? [one.title]
        : [],
    ),
  );
  let title = wanted;
  for (let count = 2; taken.has(title); count += 1) title = `${wanted} ${count}`;
  return title;
}
