import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi } from './api-server.mjs';
import { childCpuMs, watchMemory } from './system-counts.mjs';

/** A run that takes longer than this hangs. Milliseconds. */
const LIMIT_MS = 120_000;

/** Who is measured: the words of a command line that answers one prompt. */
export const floor = { name: 'floor', words: [join(import.meta.dirname, 'floor.mjs'), 'go'] };
export const bareSdk = { name: 'bare SDK', words: [join(import.meta.dirname, 'bare-sdk.mjs')] };
/** Lathe's headless host, started the way a user starts it from the repository. */
export const lathe = (entry) => ({
  name: 'lathe',
  words: [entry, '-p', 'go', '--permission-mode', 'bypassPermissions'],
});

/**
 * One run of a subject, in a home and a folder of its own, against `answers`. Gives the requests as the server saw them,
 * `coldMs` (spawn to the first request), `gapsMs` (each `message_stop` to the next request), `cpuMs` (user and system time
 * of the process and what it waited for) and `memory` (see `watchMemory`). `look` sees the home folder at the end.
 */
export async function run(subject, answers, { project = null, env = {}, look = () => {} } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'lathe-bench-'));
  const folder = project ?? home;
  const api = await startApi(answers);
  const cpuBefore = childCpuMs();
  const startedAt = performance.now();
  const child = spawn(process.execPath, subject.words, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      SHELL: '/bin/bash',
      TERM: 'dumb',
      ANTHROPIC_API_KEY: 'bench',
      ANTHROPIC_BASE_URL: api.url,
      ...env,
    },
  });
  const memory = watchMemory(home);
  try {
    const { code, complaint } = await ended(child);
    const cpuMs = childCpuMs() - cpuBefore;
    if (code !== 0 || api.requests.length < answers.length)
      throw new Error(
        `${subject.name} ended with ${code} after ${api.requests.length} of ${answers.length} requests. ${complaint}`,
      );
    const { requests } = api;
    look(home);
    return {
      requests,
      coldMs: requests[0].arrivedAt - startedAt,
      gapsMs: requests.slice(1).map(({ arrivedAt }, i) => arrivedAt - requests[i].answeredAt),
      cpuMs,
      memory: memory.stop(),
    };
  } finally {
    memory.stop();
    await api.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function ended(child) {
  let complaint = '';
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaint = (complaint + text).slice(-2_000);
  });
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      resolve({ code, complaint });
    });
  });
}
