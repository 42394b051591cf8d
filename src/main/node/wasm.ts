import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';

/** Where the packages keep their WebAssembly files. */
const PLACES = {
  'web-tree-sitter.wasm': 'web-tree-sitter/web-tree-sitter.wasm',
  'tree-sitter-bash.wasm': 'tree-sitter-bash/tree-sitter-bash.wasm',
} as const;

/**
 * How much work a WebAssembly function may do before V8 optimises it: so much that it never does. The grammar's lexer is one
 * huge function, and optimising it takes 520 MB and a quarter of a second, to save 10 µs a line.
 */
const TIERING_BUDGET = 1_000_000_000;

/** The bytes of a WebAssembly file that came with a package, by name. Rejects when the package is not there. */
export const loadWasm = async (name: keyof typeof PLACES): Promise<Uint8Array> => {
  setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`);
  return readFile(createRequire(import.meta.url).resolve(PLACES[name]));
};
