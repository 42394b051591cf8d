import { readFileSync } from 'node:fs';
import { spawn } from 'node-pty';
import type { TerminalClient } from '../../src/main/terminal/client/terminal-client';
import { hostPlace, readHostRecord } from '../../src/main/terminal/run-folder';
import { encodeFrame, FrameKind, jsonPayload } from '../../src/shared/terminal-wire';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { TestPane } from '../support/terminal-pane';
import { bash, spawned } from '../terminal/support';

/** Runs of what is timed; medians count. */
const RUNS = 30;
const TASKS = 50;
const LINES = 20_000;

/** Measures the terminal host without a page. Rows as `measure.mjs` has them. */
export async function measureHost(tell: (name: string, figures?: unknown) => void) {
  const kept = await withTerminals(keptMegabytes);
  tell('memory of ended tasks', kept);
  const first = await withTerminals(firstBytes);
  tell('first byte', first);
  const reattach = await withTerminals(reattached);
  tell('reattach', reattach);
  const [ours, theirs] = [median(first.ours), median(first.theirs)];
  return [
    {
      name: 'first byte of a command (floor: node-pty)',
      ...{ unit: 'ms', lathe: ours, floor: theirs, ratio: ours / theirs, budget: 2 },
      ok: ours / theirs <= 2,
    },
    row('reattach of 10 000 lines', 'ms', median(reattach.wall), 100),
    row('processor time of host and pane for it', 'ms', median(reattach.work), 100),
    row(`host after ${TASKS} tasks of ${LINES} lines`, 'MB', kept.after, 250),
    row('kept for each of them', 'MB', (kept.after - kept.before) / TASKS, 1),
  ];
}

/** Measures in a terminal host of its own. */
async function withTerminals<T>(measure: (terminals: TestTerminals) => Promise<T>): Promise<T> {
  const terminals = await startTestTerminals();
  try {
    return await measure(terminals);
  } finally {
    await terminals.stop();
  }
}

const row = (name: string, unit: string, lathe: number, budget: number) => ({
  ...{ name, unit, lathe, floor: null, ratio: null, budget },
  ok: lathe <= budget,
  absolute: true,
});

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Milliseconds from the wish for a command until a window has its first output, and until a pty of this process does. A
 * window is connected before, as one is in the app.
 */
async function firstBytes(terminals: TestTerminals) {
  const { client } = terminals;
  const [ours, theirs]: [number[], number[]] = [[], []];
  let seen: (text: string) => void = () => undefined;
  const channel = await client.openViewerChannel(
    (bytes) => seen(Buffer.from(bytes).toString('latin1')),
    () => seen('gone'),
  );
  if (!channel.ok) throw new Error(channel.error.message);
  for (let i = 0; i < RUNS; i += 1) {
    const spec = bash(terminals, 'echo first; read -t 1');
    const attach = jsonPayload({ terminalId: spec.id, cols: spec.cols, rows: spec.rows });
    const shown = new Promise<void>((resolve) => {
      seen = (text) => (text.includes('first') ? resolve() : undefined);
    });
    let from = performance.now();
    await spawned(client, spec);
    channel.value.send(encodeFrame({ kind: FrameKind.attach, viewer: 1, payload: attach }));
    await shown;
    ours.push(performance.now() - from);
    await client.kill(spec.id, 0);
    const [program = '', ...args] = spec.argv;
    from = performance.now();
    const pty = spawn(program, args, { cwd: spec.cwd, env: { ...spec.env }, encoding: null });
    await new Promise<void>((resolve) => pty.onData(() => resolve()));
    theirs.push(performance.now() - from);
    pty.kill('SIGKILL');
  }
  channel.value.close();
  return { ours, theirs };
}

/** Milliseconds until a new pane has parsed all of a terminal that holds 10 000 lines. */
async function reattached(terminals: TestTerminals) {
  const { client } = terminals;
  const spec = bash(terminals, 'seq -f "a line of some length, number %g" 12000; sleep 1000');
  await spawned(client, spec);
  const [wall, work]: [number[], number[]] = [[], []];
  for (let i = 0; i <= RUNS; i += 1) {
    const [from, workFrom] = [performance.now(), await workOf(terminals)];
    const pane = await TestPane.open(client, spec.id);
    await pane.until(({ offset }) => offset !== null);
    await pane.parsed();
    // The first one waits for the command, too.
    if (i === 0) await pane.untilText('number 12000');
    else {
      wall.push(performance.now() - from);
      work.push((await workOf(terminals)) - workFrom);
    }
    pane.close();
  }
  await client.kill(spec.id, 0);
  return { wall, work };
}

/** Returns the processor time of the terminal host and of this process so far. Milliseconds. */
async function workOf({ runFolder }: TestTerminals): Promise<number> {
  const pid = (await readHostRecord(hostPlace(runFolder)))?.pid;
  const nanoseconds = Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
  const { user, system } = process.cpuUsage();
  return nanoseconds / 1e6 + (user + system) / 1e3;
}

/** The host's resident memory before and after many tasks that have ended, each looked at once. */
async function keptMegabytes(terminals: TestTerminals) {
  const { client } = terminals;
  const endTasks = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      const spec = bash(terminals, `seq 1 ${LINES}`);
      await spawned(client, spec);
      await seen(client, spec.id);
    }
    return settled(terminals);
  };
  // The first ones load the emulator and fill V8's space for new objects, which is used again.
  const before = await endTasks(TASKS / 5);
  return { before, after: await endTasks(TASKS) };
}

async function seen(client: TerminalClient, id: string): Promise<void> {
  const pane = await TestPane.open(client, id);
  await client.exited(id);
  await pane.until(({ exit }) => exit !== null);
  pane.close();
}

/** The host's resident memory in megabytes, once it has stood still for a second. */
async function settled({ runFolder }: TestTerminals): Promise<number> {
  const pid = (await readHostRecord(hostPlace(runFolder)))?.pid;
  const now = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;
  for (let before = 0; Math.abs(now() - before) > 1; ) {
    before = now();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  return now();
}
