import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { err, fault, ok, type Result } from '../../shared/result';
import type { Sandbox, SandboxedCommand, SandboxSession } from '../engine/ports-sandbox';
import { type FoundSandbox, type LookOptions, lookForSandbox } from './availability';
import { excludingStandIns, ownExcludeFile, quoteArguments, watchCommonDirs } from './git-files';
import { type SandboxLaunch, type SandboxProcess, startSandboxProcess } from './sandbox-process';

export interface SandboxClientOptions extends LookOptions {
  readonly launch: SandboxLaunch;
}

/**
 * Creates the sandbox of the operating system, each session's in a process of its own. Starts nothing before the first
 * use.
 */
export function createSandbox(options: SandboxClientOptions): Sandbox {
  let looked: Promise<FoundSandbox> | null = null;
  const look = () => {
    looked ??= lookForSandbox(options);
    return looked;
  };
  return {
    availability: async () => (await look()).availability,
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
  look: () => Promise<FoundSandbox>,
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
    argv: readonly string[],
    writable: readonly string[],
  ) => {
    inside.add(id);
    const takeAway = watchCommonDirs(writable);
    const command: SandboxedCommand = {
      argv,
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
    enter: async ({ argv, text, policy }, signal): Promise<Result<SandboxedCommand>> => {
      const { tools } = await look();
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
      const entered = wrapped(id, host, reply.argv, policy.writable);
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
