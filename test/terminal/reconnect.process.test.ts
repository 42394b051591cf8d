import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RECENT_BYTES, RecentOutput } from '../../src/main/terminal/host/batcher';
import { FrameKind } from '../../src/shared/terminal-wire';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { TestPane } from '../support/terminal-pane';
import { bash, shell, spawned } from './support';

let terminals: TestTerminals;
beforeAll(async () => {
  terminals = await startTestTerminals();
});
afterAll(() => terminals.stop());

/** Two panes on a program that prints numbered lines, more of them for each line typed. */
async function startCounter(step: number) {
  const spec = bash(
    terminals,
    `at=0; while :; do seq $((at + 1)) $((at += ${step})); echo "so far $at"; read -r; done`,
    { kind: 'shell' },
  );
  await spawned(terminals.client, spec);
  const [pane, other] = [
    await TestPane.open(terminals.client, spec.id),
    await TestPane.open(terminals.client, spec.id),
  ];
  await Promise.all([pane, other].map((each) => each.untilText(`so far ${step}`)));
  return { spec, pane, other };
}

describe('a pane whose connection broke', () => {
  test('goes on with what it missed: no line is lost, none comes twice, nothing is sent again', async () => {
    const { spec, pane, other } = await startCounter(700);
    pane.disconnect();
    other.type('\n');
    await other.untilText('so far 1400');
    const back = await TestPane.open(terminals.client, spec.id, { from: pane });
    await back.untilText('so far 1400');
    expect([back.replays, back.offset]).toEqual([0, other.offset]);
    expect(await back.text()).toBe(await other.text());
    other.type('\n');
    await Promise.all([back.untilText('so far 2100'), other.untilText('so far 2100')]);
    expect(await back.text()).toBe(await other.text());
    back.close();
    other.close();
  });

  test('gets the screen anew when it missed more than is kept', async () => {
    const { spec, pane, other } = await startCounter(60_000);
    pane.disconnect();
    other.type('\n');
    await other.untilText('so far 120000');
    const back = await TestPane.open(terminals.client, spec.id, { from: pane });
    await back.until((one) => one.replays === 1);
    await back.untilText('so far 120000');
    // A viewer that is behind gets all lines once the terminal is calm.
    await other.until(async () => (await other.text()) === (await back.text()));
    back.close();
    other.close();
  });

  test('gets the screen anew when the size changed meanwhile', async () => {
    const { spec, pane, other } = await startCounter(50);
    pane.disconnect();
    await other.resize(100, 30);
    other.type('\n');
    await other.untilText('so far 100');
    const back = await TestPane.open(terminals.client, spec.id, { from: pane });
    await back.until((one) => one.replays === 1);
    expect(await back.text()).toContain('so far 100');
    expect(back.terminal.cols).toBe(80);
    back.close();
    other.close();
  });

  test('gets the screen anew when the size changed or it was cleared, and nothing was printed', async () => {
    for (const act of [
      (other: TestPane) => other.resize(100, 30),
      async (other: TestPane) => other.send(FrameKind.clear, new Uint8Array()),
    ]) {
      const { spec, pane, other } = await startCounter(50);
      pane.disconnect();
      await act(other);
      // Frames of one connection are taken in order.
      other.type('x');
      await other.until(async (one) => (await one.text()).endsWith('x'));
      const back = await TestPane.open(terminals.client, spec.id, { from: pane });
      await back.until((one) => one.replays === 1);
      back.close();
      other.close();
    }
  });

  test('hears of an end that came meanwhile', async () => {
    const { spec, pane, other } = await startCounter(10);
    pane.disconnect();
    await terminals.client.kill(spec.id, 0);
    const back = await TestPane.open(terminals.client, spec.id, { from: pane });
    await back.until((one) => one.exit !== null);
    expect(await back.text()).toContain('so far 10');
    back.close();
    other.close();
  });
});

describe('a screen that was cleared', () => {
  test('stays cleared for panes that come later and for the others', async () => {
    const spec = shell(terminals);
    await spawned(terminals.client, spec);
    const pane = await TestPane.open(terminals.client, spec.id, { cols: 80, rows: 24 });
    const other = await TestPane.open(terminals.client, spec.id);
    pane.type('seq 1 500; echo done-$?\n');
    await Promise.all([pane.untilText('done-0\n$'), other.untilText('done-0\n$')]);
    pane.terminal.clear();
    pane.send(FrameKind.clear, new Uint8Array());
    await other.until(async (one) => (await one.text()) === '$');
    const later = await TestPane.open(terminals.client, spec.id);
    await later.untilText('$');
    expect(await later.text()).toBe('$');
    pane.type('echo after\n');
    await Promise.all([pane, other, later].map((each) => each.untilText('after\n$')));
    expect(await later.text()).toBe(await pane.text());
    for (const each of [pane, other, later]) each.close();
  });

  test.each([5, 20_000])('stays cleared after the end of its program (%i lines)', async (count) => {
    const spec = bash(terminals, `seq 1 ${count}; printf last`);
    await spawned(terminals.client, spec);
    await terminals.client.exited(spec.id);
    const pane = await TestPane.open(terminals.client, spec.id);
    await pane.until((one) => one.exit !== null);
    expect((await pane.text()).split('\n').length).toBeGreaterThan(count / 5);
    pane.send(FrameKind.clear, new Uint8Array());
    await pane.until(async () => {
      const later = await TestPane.open(terminals.client, spec.id);
      await later.until((one) => one.exit !== null);
      const text = await later.text();
      later.close();
      return text === 'last';
    });
    pane.close();
  });
});

test('a long screen comes in pieces', async () => {
  const spec = bash(terminals, 'seq -f "a line of some length, number %g, to fill it" 1 6000');
  await spawned(terminals.client, spec);
  await terminals.client.exited(spec.id);
  const pane = await TestPane.open(terminals.client, spec.id);
  await pane.until((one) => one.exit !== null);
  expect(pane.parts).toBeGreaterThan(2);
  expect(await pane.text()).toContain('number 6000');
  pane.close();
});

describe('the newest output', () => {
  test('is given by offset as long as it is kept', () => {
    const recent = new RecentOutput();
    expect(recent.since(0)?.toString()).toBe('');
    recent.push(Buffer.from('hello '));
    recent.push(Buffer.from('world'));
    expect([0, 3, 6, 11].map((offset) => recent.since(offset)?.toString())).toEqual([
      'hello world',
      'lo world',
      'world',
      '',
    ]);
    expect([-1, 0.5, 12, Number.NaN].map((offset) => recent.since(offset))).toEqual([
      null,
      null,
      null,
      null,
    ]);
    recent.forget();
    expect([recent.since(11), recent.since(12), recent.end]).toEqual([null, null, 11]);
  });

  test('is bounded', () => {
    const recent = new RecentOutput();
    const batch = Buffer.alloc(60_000, 'x');
    for (let at = 0; at < 50; at += 1) recent.push(batch);
    expect(recent.end).toBe(3_000_000);
    expect(recent.since(recent.end - RECENT_BYTES - 1)).toBeNull();
    expect(recent.since(recent.end - RECENT_BYTES + 60_000)?.byteLength).toBe(
      RECENT_BYTES - 60_000,
    );
  });
});
