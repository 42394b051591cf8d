import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { expect } from 'vitest';
import { NODE_WORDS } from '../../support/node-words';
import { soon } from '../../support/soon';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** The built command line. */
export const CLI = join(ROOT, 'out', 'main', 'cli.js');

/** A home and a project of their own, for one test. */
export interface Workspace {
  readonly home: string;
  readonly latheHome: string;
  readonly project: string;
  remove(): Promise<void>;
}

/** Makes an empty workspace. */
export async function makeWorkspace(): Promise<Workspace> {
  const home = await mkdtemp(join(tmpdir(), 'lathe-run-'));
  const project = await mkdtemp(join(tmpdir(), 'lathe-project-'));
  return {
    home,
    latheHome: join(home, '.lathe'),
    project,
    async remove() {
      for (const folder of [home, project])
        await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** What a finished run left. */
export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run of the built command line. */
export interface Run {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly finished: Promise<Finished>;
  /** Resolves when standard output holds the text. */
  printed(text: string): Promise<void>;
  /** The same for standard error. */
  complained(text: string): Promise<void>;
}

/** Starts the built command line in the workspace's project, with nothing of this process's environment. */
export function lathe(
  workspace: Workspace,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  /** Words that go before the program, to start it through another. */
  through: readonly string[] = [],
): Run {
  return startProgram(workspace, [...through, process.execPath, ...NODE_WORDS, CLI, ...words], env);
}

/** Starts a program that runs the built command line, as {@link lathe} does. */
export function startProgram(
  workspace: Workspace,
  [program = process.execPath, ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Run {
  if (!existsSync(CLI)) throw new Error('Lathe is not built: npm run build');
  const child = spawn(program, args, {
    cwd: workspace.project,
    env: { PATH: process.env['PATH'], HOME: workspace.home, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  const out = collect(child.stdout);
  const complaints = collect(child.stderr);
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (code, signal) =>
      resolve({ code, signal, stdout: out.text(), stderr: complaints.text() }),
    );
  });
  const until = (stream: Collected) => (text: string) =>
    new Promise<void>((done, fail) => {
      stream.waitFor(text, done);
      finished.then(
        ({ stdout, stderr }) => fail(new Error(`No "${text}" in ${stdout}${stderr}`)),
        fail,
      );
    });
  return { child, finished, printed: until(out), complained: until(complaints) };
}

interface Collected {
  text(): string;
  waitFor(wanted: string, done: () => void): void;
}

function collect(stream: Readable): Collected {
  let text = '';
  const waiting: { wanted: string; done: () => void }[] = [];
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    for (const waiter of waiting) if (text.includes(waiter.wanted)) waiter.done();
  });
  return {
    text: () => text,
    waitFor(wanted, done) {
      waiting.push({ wanted, done });
      if (text.includes(wanted)) done();
    },
  };
}

/** The lines of NDJSON output. */
export const linesOf = (stdout: string): Record<string, never>[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Live processes whose environment has this home: everything a run started and left behind. */
export function processesOf(workspace: Workspace): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readProc(pid, 'environ').includes(`HOME=${workspace.home}\0`))
    .map((pid) => readProc(pid, 'cmdline').replaceAll('\0', ' '));
}

/** Waits until {@link processesOf} finds none: what was ended is gone when the system gets to it. */
export const nothingLeft = (workspace: Workspace): Promise<void> =>
  soon(() => expect(processesOf(workspace)).toEqual([]));

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
