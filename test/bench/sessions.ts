import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { encodeLine } from '../../src/main/engine/event-log';
import { sessionPaths } from '../../src/main/engine/sessions/paths';
import type { DurableEvent } from '../../src/shared/agent-event';
import { openWindow } from '../hosts/process/window';

const SESSIONS = 128;
/** Prompts with their answers in each session, and the length of an answer. Characters. */
const PROMPTS = 200;
const ANSWER = 10_000;

interface Host {
  readonly link: string;
  readonly pid: number;
}

/** Writes the logs of as many sessions as are opened, 2 MB each, and gives their ids. */
export function writeSessions(latheHome: string, project: string): readonly string[] {
  return Array.from({ length: SESSIONS }, (_, at) => {
    const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
    const { file } = sessionPaths(latheHome, project, id);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, eventsOf(at, project).map(lineOf).join(''), { mode: 0o600 });
    return id;
  });
}

const lineOf = (event: DurableEvent, at: number): string =>
  encodeLine({ at: 1_700_000_000_000 + at, event });

function eventsOf(session: number, project: string): readonly DurableEvent[] {
  const model = 'claude-sonnet-5-5';
  const answers = Array.from({ length: PROMPTS }, (_, n): readonly DurableEvent[] => {
    const text = `${session}.${n} `.padEnd(ANSWER, 'some words of an answer ');
    return [
      { type: 'user_message', id: `p${n}`, content: [{ type: 'text', text: `prompt ${n}` }] },
      {
        type: 'block_finished',
        messageId: `a${n}`,
        model,
        index: 0,
        block: { type: 'text', text },
      },
    ];
  });
  const createdAt = 1_700_000_000_000;
  return [
    { type: 'session_started', version: 1, cwd: project, createdAt },
    { type: 'title_changed', title: `Session ${session}` },
    ...answers.flat(),
  ];
}

/** Opens each session once in one host, as a window that goes through all of them. Gives its memory on the way, in bytes. */
export async function openAll({ link, pid }: Host, project: string, ids: readonly string[]) {
  const stdout = new Readable({ read: () => {} });
  const printed = async () => void stdout.emit('data', `${link}\n`);
  const window = await openWindow({ child: { stdout }, printed });
  await window.client.projects.open({ path: project });
  const memory: number[] = [];
  const waits: number[] = [];
  const work: number[] = [];
  const pauses: number[] = [];
  /** Asks for the longest pause since the last look: the host measures for some seconds after each. */
  const look = async () => {
    const health = await window.client.health.view();
    if (health.ok) pauses.push(health.value.host.longestPauseMs ?? 0);
    return health.ok ? health.value.sessions.length : Number.NaN;
  };
  for (const sessionId of ids) {
    const began = performance.now();
    const before = cpuOf(pid);
    const stop = new AbortController();
    const feed = await window.client.session.watch({ sessionId }, { signal: stop.signal });
    for await (const told of feed) if (told.type === 'caught_up') break;
    stop.abort();
    waits.push(performance.now() - began);
    work.push(cpuOf(pid) - before);
    await look();
    memory.push(residentOf(pid));
  }
  const held = await look();
  window.close();
  return {
    growth: median(memory.slice(-SESSIONS / 4)) - median(memory.slice(SESSIONS / 4, SESSIONS / 2)),
    peak: Math.max(...memory),
    slowest: Math.max(...waits.slice(1)),
    work: Math.max(...work.slice(1)),
    usualWork: median(work),
    pause: Math.max(...pauses),
    held,
  };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const residentOf = (pid: number): number =>
  1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** Returns the processor time that a process has taken. Milliseconds. */
const cpuOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
};
