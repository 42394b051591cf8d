import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textAnswer, toolAnswer } from './api-server.mjs';

/** Turns of a scene. */
const TURNS = 30;

const times = (count, make) => Array.from({ length: count }, (_, i) => make(i));

/** One question, one answer. */
export const greeting = [textAnswer('Hello.')];

/** As many turns as `TURNS`, each with a command that is over at once. */
export const shellTurns = [
  ...times(TURNS, (i) => toolAnswer(['Bash', { command: `echo turn ${i}` }])),
  textAnswer('Done.'),
];

/** A stream of 5 MB in 20 000 deltas. */
export const longAnswer = [
  textAnswer(...times(20_000, (i) => `${i} `.padEnd(250, 'lorem ipsum '))),
];

/** A folder with a small text file for every read, and the scenes that read them; call `remove` at the end. */
export function readingScenes() {
  const folder = mkdtempSync(join(tmpdir(), 'lathe-bench-files-'));
  const files = times(TURNS * 8, (i) => join(folder, `file-${i}.txt`));
  files.forEach((file, i) => {
    writeFileSync(file, times(40, (line) => `line ${line} of file ${i}\n`).join(''));
  });
  const read = (i) => ['Read', { file_path: files[i] }];
  return {
    folder,
    readTurns: [...times(TURNS, (i) => toolAnswer(read(i))), textAnswer('Done.')],
    eightReads: [
      ...times(TURNS, (i) => toolAnswer(...times(8, (k) => read(i * 8 + k)))),
      textAnswer('Done.'),
    ],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
