import { accessSync, constants } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { err, fault, ok, type Result } from '../../shared/result';
import type { Programs } from '../engine/ports';
import type {
  Sandbox,
  SandboxAvailability,
  SandboxedCommand,
  SandboxPrograms,
  SandboxSession,
} from '../engine/ports-sandbox';
import { excludingStandIns, ownExcludeFile, quoteArguments, watchCommonDirs } from './git-files';
import type { SandboxTools } from './protocol';
import { type SandboxLaunch, type SandboxProcess, startSandboxProcess } from './sandbox-process';

interface SandboxClientOptions extends LookOptions {
  readonly launch: SandboxLaunch;
}

/**
 * Creates the sandbox of the operating system, each session's in a process of its own. Starts nothing before the first
 * use.
 */
export function createSandbox(options: SandboxClientOptions): Sandbox {
  const looked = new Map<string, Promise<FoundSandbox>>();
  const look = (programs: SandboxPrograms = {}) => {
    const key = JSON.stringify([programs.bwrap, programs.socat, programs.ripgrep]);
    const known = looked.get(key) ?? lookForSandbox(options, programs);
    looked.set(key, known);
    return known;
  };
  return {
    availability: async (programs) => (await look(programs)).availability,
    open: ({ project, ask }) =>
      createSession(look, async () => {
        const temp = await mkdtemp(join(tmpdir(), 'lathe-sandbox-'));
        const excludes = await ownExcludeFile(options.programs, options.launch.env['HOME']);
        return { temp, excludes, host: startSandboxProcess(options.launch, project, temp, ask) };
      }),
  };
}

interface Started {
  readonly temp: string;
  /** The user's own exclude file for git. */
  readonly excludes: string | null;
  readonly host: SandboxProcess;
}

function createSession(
  look: (programs: SandboxPrograms) => Promise<FoundSandbox>,
  start: () => Promise<Started>,
): SandboxSession {
  let current: Promise<Started> | null = null;
  let count = 0;
  const inside = new Set<string>();

  /** Returns the process, a new one when the last is gone. */
  const started = async (): Promise<Started> => {
    const known = current;
    const last = await known?.catch(() => null);
    // Another command may have started one meanwhile.
    if (current === known && (!last || last.host.isGone)) current = start();
    return current ?? start();
  };

  const wrapped = (
    id: string,
    host: SandboxProcess,
    { argv, unmasked }: Pick<SandboxedCommand, 'argv' | 'unmasked'>,
    writable: readonly string[],
  ) => {
    inside.add(id);
    const takeAway = watchCommonDirs(writable);
    const command: SandboxedCommand = {
      argv,
      unmasked,
      started: (pid) => host.tell({ kind: 'started', id, pid }),
      ended: async () => {
        inside.delete(id);
        const report = await host.ask({ kind: 'ended', id });
        const told = report?.kind === 'report' ? report.violations : [];
        return [...told, ...takeAway()];
      },
    };
    return command;
  };

  return {
    enter: async (
      { argv, text, policy: { programs, ...policy } },
      signal,
    ): Promise<Result<SandboxedCommand>> => {
      const { tools, availability } = await look(programs);
      if (availability.state === 'missing') return err(fault('sandbox', availability.why));
      const process = await started().catch(() => null);
      if (process === null) return err(fault('sandbox', 'no folder for temporary files'));
      const { host, temp, excludes } = process;
      count += 1;
      const id = `c${count}`;
      const standIns = excludingStandIns(join(temp, 'git-excludes'), excludes, policy.writable);
      const command = `${standIns}exec ${quoteArguments(argv(temp))}`;
      const reply = await host.ask({ kind: 'enter', id, command, text, policy, tools });
      if (reply?.kind !== 'entered') {
        return err(fault('sandbox', reply?.kind === 'refused' ? reply.message : GONE));
      }
      const entered = wrapped(id, host, reply, policy.writable);
      if (!signal.aborted) return ok(entered);
      await entered.ended();
      return err(fault('aborted', 'Interrupted.'));
    },
    close: async () => {
      const running = await current?.catch(() => null);
      await running?.host.close(inside.size > 0);
    },
  };
}

const GONE = 'the process that keeps the sandbox ended';

/** A probe that takes longer counts as failed. Milliseconds. */
const PROBE_MS = 10_000;

/** The sandbox that was found, and the programs it is made of. */
interface FoundSandbox {
  readonly availability: SandboxAvailability;
  readonly tools: SandboxTools;
}

interface LookOptions {
  readonly platform: string;
  /** `PATH`. Folders that are not absolute are left out: they may be anywhere. */
  readonly path: string;
  readonly programs: Pick<Programs, 'run' | 'ripgrep'>;
}

/** Finds out whether commands can be put into a sandbox here, and if not, why and what helps. */
export async function lookForSandbox(
  options: LookOptions,
  chosen: SandboxPrograms = {},
): Promise<FoundSandbox> {
  const { platform, programs } = options;
  const ripgrep = chosen.ripgrep ?? { command: programs.ripgrep };
  if (platform === 'darwin') return { availability: { state: 'ready' }, tools: { ripgrep } };
  if (platform !== 'linux') {
    const why = 'Lathe has no sandbox for this system yet.';
    return {
      availability: { state: 'missing', why, fix: 'Rules and questions apply.' },
      tools: { ripgrep },
    };
  }
  const bwrap = programOf('bwrap', chosen.bwrap, options.path);
  const socat = programOf('socat', chosen.socat, options.path);
  const wrong = [
    bwrap === null ? (chosen.bwrap ?? []) : [],
    socat === null ? (chosen.socat ?? []) : [],
    // Without it nothing would be protected.
    chosen.ripgrep && programOf('rg', ripgrep.command, '') === null ? ripgrep.command : [],
  ].flat();
  if (wrong.length > 0) {
    const why = `${wrong.join(' and ')}, which settings name, cannot be run.`;
    const fix = 'Correct sandbox.bwrapPath, socatPath and ripgrep, or leave them out.';
    return { availability: { state: 'missing', why, fix }, tools: { ripgrep } };
  }
  const absent = [...(bwrap === null ? ['bubblewrap'] : []), ...(socat === null ? ['socat'] : [])];
  if (bwrap === null || socat === null) {
    const why = `${absent.join(' and ')} ${absent.length > 1 ? 'are' : 'is'} not installed.`;
    return {
      availability: { state: 'missing', why, fix: installAdvice(absent) },
      tools: { ripgrep },
    };
  }
  return { availability: await tryNamespaces(bwrap, programs), tools: { bwrap, socat, ripgrep } };
}

const installAdvice = (packages: readonly string[]): string => {
  const names = packages.join(' ');
  return `Install with: sudo apt install ${names} (Debian, Ubuntu), sudo dnf install ${names} (Fedora), sudo pacman -S ${names} (Arch).`;
};

/** Returns the program that settings name, which has to be there; else the one that is found. */
const programOf = (name: string, chosen: string | undefined, path: string): string | null =>
  chosen === undefined ? findProgram(name, path) : findProgram(basename(chosen), dirname(chosen));

/** Returns the first executable of that name in the absolute folders of a PATH. */
function findProgram(name: string, path: string): string | null {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const candidate = join(folder, name);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {}
  }
  return null;
}

const WEAK = ['--ro-bind', '/', '/', '--unshare-net', '--unshare-pid'];
const STRONG = [...WEAK, '--proc', '/proc', '--dev', '/dev'];

async function tryNamespaces(
  bwrap: string,
  programs: Pick<Programs, 'run'>,
): Promise<SandboxAvailability> {
  const strong = await probe(bwrap, STRONG, programs);
  if (strong === null) return { state: 'ready' };
  if ((await probe(bwrap, WEAK, programs)) === null) {
    return {
      state: 'weaker',
      why: `This container lets bubblewrap do only a part (${strong}).`,
      fix: 'Allow nested namespaces for the container, or set sandbox.enableWeakerNestedSandbox to true for a weaker sandbox.',
    };
  }
  return {
    state: 'missing',
    why: `bubblewrap is installed but may not make namespaces (${strong}).`,
    fix: 'On Ubuntu 24.04 and later, allow it with: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0. Elsewhere set kernel.unprivileged_userns_clone to 1. In a container, allow user namespaces for it.',
  };
}

/** Tries bubblewrap with some arguments; null when it works, else its complaint. */
async function probe(
  bwrap: string,
  args: readonly string[],
  programs: Pick<Programs, 'run'>,
): Promise<string | null> {
  const options = { cwd: '/', maxBytes: 10_000, timeoutMs: PROBE_MS };
  const ran = await programs.run([bwrap, ...args, 'true'], options);
  if (!ran.ok) return ran.error.message;
  if (ran.value.exitCode === 0) return null;
  return ran.value.stderr.trim().split('\n')[0] ?? 'it failed';
}
