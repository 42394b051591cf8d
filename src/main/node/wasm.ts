import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';

/** Where the packages keep their WebAssembly files. */
const PLACES = {
  'web-tree-sitter.wasm': 'web-tree-sitter/web-tree-sitter.wasm',
  'tree-sitter-bash.wasm': 'tree-sitter-bash/tree-sitter-bash.wasm',
} as const;

/**
 * How much work a WebAssembly function may do before V8 optimises it: so much that it never does. The lexer of the grammar
 * is one huge function; to optimise it, V8 takes 520 MB and 0.3 s of CPU, and a line is then parsed in 0.08 ms instead of 0.12.
 */
const TIERING_BUDGET = 1_000_000_000;

/** The bytes of a WebAssembly file that came with a package, by name. Rejects when the package is not there. */
export const loadWasm = async (name: keyof typeof PLACES): Promise<Uint8Array> => {
  setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`);
  return readFile(createRequire(import.meta.url).resolve(PLACES[name]));
};
