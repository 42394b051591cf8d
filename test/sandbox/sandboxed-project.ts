import { execFile } from 'node:child_process';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SandboxPolicy, SandboxViolation } from '../../src/main/engine/ports-sandbox';
import { tempFolder } from '../node/temp-folder';
import { answering, policyFor, realSandbox } from '../support/sandbox';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly violations: readonly SandboxViolation[];
}

const NO = { allow: false, reason: 'the test says no' };

/** A project with a sandbox; `run` runs a shell line inside and to its end. */
export async function project(network = answering(() => NO)) {
  const home = await realpath(await tempFolder());
  const folder = join(home, 'project');
  await mkdir(folder);
  const sandbox = await realSandbox(home);
  const session = sandbox.open({ project: folder, ask: network.ask });
  onTestFinished(session.close);
  const run = async (line: string, rest: Partial<SandboxPolicy> = {}): Promise<Ended> => {
    const entered = await session.enter(
      { argv: () => ['/bin/bash', '-c', line], text: line, policy: policyFor([folder], rest) },
      new AbortController().signal,
    );
    if (!entered.ok) throw new Error(entered.error.message);
    const [program = '', ...args] = entered.value.argv;
    const { code, out } = await new Promise<Omit<Ended, 'violations'>>((resolve) => {
      // A first bash whose input is a socket takes itself for a remote one, and reads the user's start-up file.
      const env = { ...process.env, SHLVL: '1' };
      const child = execFile(program, args, { cwd: folder, env }, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode, out: stdout + stderr }),
      );
      entered.value.started(child.pid ?? 0);
    });
    return { code, out, violations: await entered.value.ended() };
  };
  return { home, folder, session, run, network };
}
