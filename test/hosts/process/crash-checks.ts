import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { sessionPaths } from '../../../src/main/engine/sessions/paths';
import type { ScriptedApi } from '../../support/scripted-api';
import type { Workspace } from './lathe';

/** `LATHE_CRASHES` kills more often, `LATHE_CRASH_SEED` elsewhere: to look for more than to guard what is known. */
export const KILLS = Number(process.env['LATHE_CRASHES'] ?? 10);
export const SEED = Number(process.env['LATHE_CRASH_SEED'] ?? 7);

/** Random numbers from 0 to 1 that a seed repeats (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Checks that nothing settled is lost and that no command, which writes its own line to `ran.txt`, ran twice. */
export function checkKept(workspace: Workspace, api: ScriptedApi, sessionId: string): void {
  const { file, folder } = sessionPaths(workspace.latheHome, workspace.project, sessionId);
  const agents = join(folder, 'agents');
  const logs = [file, ...namesIn(agents).map((name) => join(agents, name))].filter(
    (path) => path.endsWith('.jsonl') && existsSync(path),
  );
  const whole = logs.map((path) => readFileSync(path, 'utf8')).join('\n');
  for (const path of logs) {
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    for (const line of lines) if (line !== '') JSON.parse(line);
  }
  const told = api.requests.flatMap(({ body }) => [
    ...JSON.stringify(body.messages).matchAll(/"tool_use_id":"(toolu_c\d+)"/g),
  ]);
  for (const id of new Set(told.map(([, found]) => found))) expect(whole).toContain(id);
  const ran = join(workspace.project, 'ran.txt');
  const lines = existsSync(ran) ? readFileSync(ran, 'utf8').trim().split('\n') : [];
  expect(new Set(lines).size, `seed ${SEED}: ${lines.join(' ')}`).toBe(lines.length);
}

const namesIn = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder) : [];
