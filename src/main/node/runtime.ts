import { readFile } from 'node:fs/promises';
import { createRequire, enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Keeps the compiled form of all code loaded from now on, and takes it from there at the next start. It lies beside the
 * build it belongs to (`mainFolder` is the folder of the entry files), so both are replaced together, and whoever could
 * change it could change the code itself. Where that folder cannot be written, nothing is kept.
 */
export function keepCompiledCode(mainFolder: string): void {
  enableCompileCache(join(mainFolder, '..', '.compile-cache'));
}

/**
 * Leaves the environment, which holds keys, out of the reports that Node writes when it crashes or is asked to
 * (`NODE_OPTIONS=--report-…`, docs/security.md 13).
 */
export function keepKeysOutOfReports(): void {
  const report: NodeJS.ProcessReport | undefined = process.report;
  // Node's types do not know the property yet (it came with 22.13).
  if (report) Reflect.set(report, 'excludeEnv', true);
}

/** The room for new objects that fast turns need. Bytes. */
const NEW_OBJECTS = 12 * 1024 * 1024;
/** The time between two looks until it has that. Milliseconds. */
const LOOK_MS = 200;
/**
 * From then on the room for new objects grows no more; V8 would double it up to 128 MB and give nothing back. Old
 * objects are collected when they have doubled, not only at four times what is in use.
 */
const SMALL_HEAP = ['--semi-space-growth-factor=1', '--heap-growing-percent=100'] as const;

/** A process that lives so long has started, whether it asks a model or not. Milliseconds. */
const LONG_MS = 60_000;

/** Returns whether the heap has its usual size and the start is over: what is loaded under {@link SMALL_HEAP} is compiled anew. */
export const isHeapGrown = (youngBytes: number, hasAsked: boolean, livedMs: number): boolean =>
  youngBytes >= NEW_OBJECTS && (hasAsked || livedMs >= LONG_MS);

/**
 * Keeps the garbage of a long session small: it is made evenly, turn by turn, so that a large heap would save nothing. Until
 * {@link isHeapGrown} V8 grows it as it likes, because starts and short runs are faster so. `hasAsked` tells whether a model
 * was asked.
 */
export function keepHeapSmall(hasAsked: () => boolean): void {
  const timer = setInterval(() => {
    const spaces = getHeapSpaceStatistics();
    const young = spaces.find(({ space_name: name }) => name === 'new_space');
    if (!isHeapGrown(young?.space_size ?? 0, hasAsked(), performance.now())) return;
    clearInterval(timer);
    for (const flag of SMALL_HEAP) setFlagsFromString(flag);
  }, LOOK_MS);
  timer.unref();
}

/** The places of the WebAssembly files inside their packages. */
const PLACES = {
  'web-tree-sitter.wasm': 'web-tree-sitter/web-tree-sitter.wasm',
  'tree-sitter-bash.wasm': 'tree-sitter-bash/tree-sitter-bash.wasm',
} as const;

/**
 * V8 must never optimise these modules: the lexer of the grammar is one huge function, for which it takes 520 MB and
 * seconds of processor time after some hundred lines, to parse a line in 0.08 ms instead of 0.12. A larger budget only
 * defers that, and either flag alone does not prevent it.
 */
const NEVER_OPTIMISE = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'] as const;

/** Reads a WebAssembly file that came with a package. Rejects when the package is not there. */
export async function loadWasm(name: keyof typeof PLACES): Promise<Uint8Array> {
  for (const flag of NEVER_OPTIMISE) setFlagsFromString(flag);
  return readFile(createRequire(import.meta.url).resolve(PLACES[name]));
}
