import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';

/** Where the packages keep their WebAssembly files. */
const PLACES = {
  'web-tree-sitter.wasm': 'web-tree-sitter/web-tree-sitter.wasm',
  'tree-sitter-bash.wasm': 'tree-sitter-bash/tree-sitter-bash.wasm',
} as const;

/**
 * V8 must never optimise these modules: the lexer of the grammar is one huge function, for which it takes 520 MB and seconds
 * of CPU after some hundred lines, and a line is then parsed in 0.08 ms instead of 0.12. A larger budget only puts
 * that off, and either flag alone does not hold it back.
 */
const NEVER_OPTIMISE = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'] as const;

/** The bytes of a WebAssembly file that came with a package, by name. Rejects when the package is not there. */
export const loadWasm = async (name: keyof typeof PLACES): Promise<Uint8Array> => {
  for (const flag of NEVER_OPTIMISE) setFlagsFromString(flag);
  return readFile(createRequire(import.meta.url).resolve(PLACES[name]));
};
