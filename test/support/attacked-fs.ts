import type * as Fs from 'node:fs';
import type * as FsPromises from 'node:fs/promises';

/** Somebody who acts right before certain calls of this process to the disk: between any two of them. */
export interface Attacker {
  /** Calls made since it was armed. */
  calls: number;
  /** Acts before the call of this number, from 0; not at all when false. */
  before: (call: number) => boolean;
  act: () => void;
}

/** An attacker who does nothing yet. */
export const idleAttacker = (): Attacker => ({ calls: 0, before: () => false, act: () => {} });

/** What takes a path, or says where something is: every way by which a swap could change what happens. */
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

/** `node:fs` with an attacker in it. */
export function attackedFs(fs: typeof Fs, attacker: Attacker): object {
  const native = before(attacker, fs.realpathSync.native);
  const realpathSync = Object.assign(before(attacker, fs.realpathSync), { native });
  return { ...fs, realpathSync, ...wrapped(fs, SYNC, attacker) };
}

/** `node:fs/promises` with an attacker in it. */
export const attackedPromises = (fs: typeof FsPromises, attacker: Attacker): object => ({
  ...fs,
  ...wrapped(fs, ASYNC, attacker),
});

function wrapped(module: object, names: readonly string[], attacker: Attacker) {
  return Object.fromEntries(
    names.map((name) => [name, before(attacker, Reflect.get(module, name))]),
  );
}

const before =
  (attacker: Attacker, call: (...args: never[]) => unknown) =>
  (...args: never[]): unknown => {
    if (attacker.before(attacker.calls++)) attacker.act();
    return call(...args);
  };
