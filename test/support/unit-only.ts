import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';
import workers from 'node:worker_threads';
import pty from 'node-pty';
import { afterAll } from 'vitest';

/**
 * The programs a unit test may start: `mkfifo`, which makes a file that Node cannot make, and ends at once. A test that
 * starts anything else is named `*.process.test.ts`, which keeps units fast.
 */
const ALLOWED: ReadonlySet<unknown> = new Set(['mkfifo']);

const STARTERS = [
  'spawn',
  'spawnSync',
  'execFile',
  'execFileSync',
  'exec',
  'execSync',
  'fork',
] as const;

const started: string[] = [];

function refuse(what: string): never {
  started.push(what);
  throw new Error(`${what} was started: tests of real processes are named *.process.test.ts`);
}

type Starter = (...args: unknown[]) => unknown;

/** Wraps a function that takes a program first, and the form of it that `promisify` gives. */
function guarded(start: Starter): Starter {
  const guard: Starter = (...args) =>
    ALLOWED.has(args[0]) ? start(...args) : refuse(String(args[0]));
  const promised: unknown = Reflect.get(start, promisify.custom);
  if (typeof promised === 'function')
    Object.assign(guard, { [promisify.custom]: guarded(promised as Starter) });
  return guard;
}

class NoWorker {
  constructor(file: unknown) {
    refuse(String(file));
  }
}

const undo = [
  ...STARTERS.map((name) => replace(childProcess, name, guarded(childProcess[name] as Starter))),
  replace(workers, 'Worker', NoWorker),
  replace(pty, 'spawn', refuse),
];
syncBuiltinESMExports();

afterAll(() => {
  for (const one of undo) one();
  syncBuiltinESMExports();
  // A unit may take the refusal for a program that is missing, and pass.
  if (started.length > 0) refuse(started.join(', '));
});

function replace(module: object, name: string, member: unknown): () => void {
  const own: unknown = Reflect.get(module, name);
  Reflect.set(module, name, member);
  return () => {
    Reflect.set(module, name, own);
  };
}
