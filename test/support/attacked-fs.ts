import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Somebody who acts right before certain calls of this process to the disk: between any two of them. */
export interface Attacker {
  /** Calls made since it was armed. */
  calls: number;
  /** Acts before the call of this number, from 0; not at all when false. */
  before: (call: number) => boolean;
  act: () => void;
}

/** The calls that take a path or say where something is: every way by which a swap could change what happens. */
const SYNC = [
  'openSync',
  'fstatSync',
  'lstatSync',
  'statSync',
  'readlinkSync',
  'readSync',
] as const;
const ASYNC = [
  ...([
    'open',
    'lstat',
    'stat',
    'realpath',
    'readlink',
    'mkdir',
    'rename',
    'rm',
    'access',
  ] as const),
  ...(['readdir', 'unlink'] as const),
];

/**
 * Puts an attacker between this process and `node:fs`, also for modules that are loaded already. Gives the attacker,
 * who does nothing yet, and what takes it away again.
 */
export function attackDisk(): { readonly attacker: Attacker; readonly restore: () => void } {
  const attacker: Attacker = { calls: 0, before: () => false, act: () => {} };
  const realpathSync = Object.assign(before(attacker, fs.realpathSync), {
    native: before(attacker, fs.realpathSync.native),
  });
  const undo = [
    replace(fs, { realpathSync, ...wrapped(fs, SYNC, attacker) }),
    replace(fs.promises, wrapped(fs.promises, ASYNC, attacker)),
  ];
  syncBuiltinESMExports();
  return {
    attacker,
    restore: () => {
      for (const one of undo) one();
      syncBuiltinESMExports();
    },
  };
}

/** Puts `members` into `module`; the answer takes them out again. */
function replace(module: object, members: Readonly<Record<string, unknown>>): () => void {
  const own = Object.keys(members).map((name) => [name, Reflect.get(module, name)] as const);
  Object.assign(module, members);
  return () => {
    Object.assign(module, Object.fromEntries(own));
  };
}

const wrapped = (module: object, names: readonly string[], attacker: Attacker) =>
  Object.fromEntries(names.map((name) => [name, before(attacker, Reflect.get(module, name))]));

const before =
  (attacker: Attacker, call: (...args: never[]) => unknown) =>
  (...args: never[]): unknown => {
    if (attacker.before(attacker.calls++)) attacker.act();
    return call(...args);
  };
