import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostPlace, readHostRecord } from '../../src/main/terminal/run-folder';
import { SCROLLBACK_LINES } from '../../src/shared/terminal';
import { FLOW, FrameKind, jsonPayload } from '../../src/shared/terminal-wire';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { TestPane } from '../support/terminal-pane';
import { bash, shell, spawned, untilOutput } from './support';

let terminals: TestTerminals;
beforeAll(async () => {
  terminals = await startTestTerminals();
});
afterAll(() => terminals.stop());

const startShell = async () => {
  const spec = shell(terminals);
  await spawned(terminals.client, spec);
  const pane = await TestPane.open(terminals.client, spec.id, { cols: 80, rows: 24 });
  await pane.untilText('$');
  return { spec, pane };
};

/** Resident memory of the host process. MiB. */
async function hostMemory(): Promise<number> {
  const record = await readHostRecord(hostPlace(terminals.runFolder));
  const status = await readFile(`/proc/${record?.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

describe('a pane', () => {
  test('types into a shell, sees its answer and its end', async () => {
    const { spec, pane } = await startShell();
    pane.type('echo $((6 * 7)); stty size\n');
    await pane.untilText('42\n24 80');
    pane.type('exit 5\n');
    await pane.until(() => pane.exit !== null);
    expect(pane.exit).toEqual({ exitCode: 5 });
    expect(await terminals.client.exited(spec.id)).toMatchObject({ exitCode: 5 });
    pane.close();
  });

  test('that types before it has its screen is heard', async () => {
    const spec = shell(terminals);
    await spawned(terminals.client, spec);
    const pane = await TestPane.open(terminals.client, spec.id, { cols: 80, rows: 24 });
    // Right behind the request to attach, so that the picture is only about to be taken.
    pane.type('echo $((6 * 7))\n');
    await pane.untilText('\n42');
    pane.close();
  });

  test('gets characters whole that were split between chunks', async () => {
    const spec = bash(
      terminals,
      "printf 'gr\\303'; sleep 0.05; printf '\\274n \\360\\237'; sleep 0.05; printf '\\232\\200 end'; read -r",
    );
    await spawned(terminals.client, spec);
    const pane = await TestPane.open(terminals.client, spec.id);
    await pane.untilText('end');
    expect(await pane.text()).toBe('grün 🚀 end');
    await untilOutput(terminals.client, spec.id, 'grün 🚀 end');
    await terminals.client.kill(spec.id, 0);
    pane.close();
  });

  test('sees as many lines above its screen as the user wants kept', async () => {
    const { client } = terminals;
    client.keepLines(100);
    const spec = bash(terminals, 'seq 1000; echo done; sleep 1000');
    await spawned(client, spec);
    client.keepLines(SCROLLBACK_LINES);
    await untilOutput(client, spec.id, 'done');
    const pane = await TestPane.open(client, spec.id);
    await pane.untilText('done');
    expect((await pane.text()).split('\n')[0]).toBe(String(1_002 - 100 - 23));
    await client.kill(spec.id, 0);
    pane.close();
  });

  test('that comes later sees the same screen and scrollback', async () => {
    const { spec, pane: first } = await startShell();
    first.type(
      "seq 1 3000; printf '\\e[1;31mred\\e[0m \\e[4mline\\e[0m ✓ 漢字'; echo; echo done-$?\n",
    );
    await first.untilText('done-0');
    const second = await TestPane.open(terminals.client, spec.id);
    await second.untilText('done-0');
    expect(await second.text()).toBe(await first.text());
    expect((await second.text()).startsWith('$ seq 1 3000')).toBe(true);
    expect(second.data).toEqual([]);
    expect([second.terminal.buffer.active.cursorX, second.terminal.buffer.active.cursorY]).toEqual([
      first.terminal.buffer.active.cursorX,
      first.terminal.buffer.active.cursorY,
    ]);
    first.type('echo both-see-this\n');
    await Promise.all([first.untilText('both-see-this\n$'), second.untilText('both-see-this\n$')]);
    expect(await second.text()).toBe(await first.text());
    first.close();
    second.close();
  });

  test('comes back into a full-screen program', async () => {
    const { spec, pane } = await startShell();
    pane.type(
      "printf '\\e[?1049h\\e[2J\\e[5;10Hfull screen\\e[?25l'; read -r; printf '\\e[?1049l'\n",
    );
    // The command line that was typed has the words, too.
    await pane.until((one) => one.terminal.buffer.active.type === 'alternate');
    const later = await TestPane.open(terminals.client, spec.id);
    await later.until((one) => one.terminal.buffer.active.type === 'alternate');
    await later.untilText('full screen');
    expect(later.terminal.buffer.active.type).toBe('alternate');
    later.type('\n');
    await later.until((one) => one.terminal.buffer.active.type === 'normal');
    pane.close();
    later.close();
  });

  test('on an ended terminal sees its last screen, then its end, in the normal screen', async () => {
    const spec = bash(terminals, "printf '\\e[?1049h\\e[?1000hlost'; exit 4");
    await spawned(terminals.client, spec);
    await terminals.client.exited(spec.id);
    for (let round = 0; round < 2; round += 1) {
      const pane = await TestPane.open(terminals.client, spec.id);
      await pane.until(() => pane.exit !== null);
      expect(pane.exit).toMatchObject({ exitCode: 4 });
      expect(pane.terminal.buffer.active.type).toBe('normal');
      expect(pane.terminal.modes.mouseTrackingMode).toBe('none');
      pane.close();
    }
  });

  test('resizes the terminal, and the other panes follow', async () => {
    const { spec, pane } = await startShell();
    const other = await TestPane.open(terminals.client, spec.id);
    await other.untilText('$');
    await pane.resize(100, 30);
    pane.type('stty size\n');
    await pane.untilText('30 100');
    await other.until((one) => one.terminal.cols === 100 && one.terminal.rows === 30);
    await other.untilText('30 100');
    pane.send(FrameKind.resize, Buffer.from([0xff, 0xff, 0, 1]));
    pane.type('stty size\n');
    await pane.untilText('1 1000');
    pane.close();
    other.close();
  });

  test('has a prompt that wraps once after each change of its width', async () => {
    const prompt = 'user@machine:~/a/folder/with/a/long/name$';
    const { env } = shell(terminals);
    const spec = shell(terminals, { env: { ...env, PS1: `${prompt} ` } });
    await spawned(terminals.client, spec);
    const pane = await TestPane.open(terminals.client, spec.id);
    const unwrapped = async () => (await pane.text()).replaceAll('\n', '');
    await pane.until(async () => (await unwrapped()) === prompt);
    for (const cols of [20, 15, 30, 80, 25]) {
      const { length } = pane.data;
      await pane.resize(cols, 24);
      // The shell has drawn it again.
      await pane.until(({ data }) => data.length > length);
      await pane.until(async () => (await unwrapped()) === prompt);
    }
    pane.close();
  });

  test('of a terminal that does not exist is refused', async () => {
    const pane = await TestPane.open(terminals.client, 'nobody');
    await pane.until(() => pane.refused !== null);
    expect(pane.refused).toEqual({ message: 'This terminal is gone.' });
    pane.send(FrameKind.attach, jsonPayload({ nonsense: true }));
    await pane.until(() => JSON.stringify(pane.refused).includes('malformed'));
    pane.close();
  });

  test('that sends garbage is ignored and goes on working', async () => {
    const { pane } = await startShell();
    for (const bytes of [
      [],
      [1],
      [200, 0, 0, 0, 7],
      [4, 0, 0, 0, 7, 0],
      [5, 0, 0, 0, 7],
      [1, 0, 0, 0, 9],
    ])
      pane.sendRaw(Uint8Array.from(bytes));
    pane.ack(0xffff_ffff);
    pane.type('echo still-here\n');
    await pane.untilText('\nstill-here');
    pane.close();
  });
});

describe('flow control', () => {
  test('a pane that keeps up gets every byte of a command, in order', async () => {
    const spec = bash(terminals, 'read -r; seq 1 60000; echo last', { kind: 'shell' });
    await spawned(terminals.client, spec);
    const pane = await TestPane.open(terminals.client, spec.id);
    await pane.until(() => pane.replays === 1);
    pane.type('\n');
    await pane.until(() => pane.exit !== null);
    const received = Buffer.concat(pane.data).toString();
    const expected = Array.from({ length: 60_000 }, (_, at) => `${at + 1}\r\n`).join('');
    expect(received.slice(received.indexOf('1\r\n')).startsWith(`${expected}last\r\n`)).toBe(true);
    expect(pane.replays).toBe(1);
    expect(pane.mostUnacked).toBeLessThan(FLOW.high + 2 * 64 * 1024 + 1);
    pane.close();
  });

  test('a pane that never acknowledges does not slow a command, and is bounded', async () => {
    const spec = bash(terminals, 'read -r; seq 1 500000; echo end-of-it');
    await spawned(terminals.client, spec);
    const [slow, fast] = await Promise.all([
      TestPane.open(terminals.client, spec.id, { acks: false }),
      TestPane.open(terminals.client, spec.id),
    ]);
    await Promise.all([slow.until(() => slow.replays === 1), fast.until(() => fast.replays === 1)]);
    fast.type('\n');
    expect(await terminals.client.exited(spec.id)).toMatchObject({ exitCode: 0 });
    await fast.until(() => fast.exit !== null);
    expect((await fast.text()).endsWith('500000\nend-of-it')).toBe(true);
    expect(slow.mostUnacked).toBeLessThan(FLOW.high + 2 * 64 * 1024 + 1);
    expect(slow.exit).toBeNull();
    // It wakes up: a new picture, then the end.
    slow.catchUp();
    await slow.until(() => slow.exit !== null);
    expect(slow.replays).toBe(2);
    expect(await slow.text()).toBe(await fast.text());
    slow.close();
    fast.close();
  });

  test('seq 1 3000000 in a shell: the pane skips most of it, the end is right, and memory stays bounded', async () => {
    const { pane } = await startShell();
    let most = 0;
    const watch = setInterval(async () => {
      most = Math.max(most, await hostMemory());
    }, 50);
    pane.type('seq 1 3000000; echo finished\n');
    // First its screen, and when it is calm the lines above.
    await pane.untilText('\nfinished\n');
    await pane.until(async () => (await pane.text()).split('\n').length >= SCROLLBACK_LINES);
    clearInterval(watch);
    const lines = (await pane.text()).split('\n');
    const end = lines.lastIndexOf('finished');
    const shown = lines.slice(end - SCROLLBACK_LINES, end);
    expect(shown).toEqual(shown.map((_, at) => String(3_000_000 - SCROLLBACK_LINES + 1 + at)));
    const sent = pane.data.reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(sent).toBeLessThan(16 * 1024 ** 2);
    expect(most).toBeLessThan(350);
    pane.close();
  });

  test('a hidden pane does not hold up a shell for ever', async () => {
    const spec = shell(terminals);
    await spawned(terminals.client, spec);
    const pane = await TestPane.open(terminals.client, spec.id, { acks: false });
    await pane.until(() => pane.replays === 1);
    pane.type('seq 1 200000; echo all-done\n');
    await untilOutput(terminals.client, spec.id, '200000\r\nall-done');
    pane.close();
    await terminals.client.kill(spec.id, 0);
  });

  // The last output fits into the kernel's buffer, so the program can end while its pty is paused.
  test.each([15_500, 16_500, 17_500, 18_500])(
    'a program that ends while its pane holds it up loses nothing (%d lines)',
    async (lines) => {
      const spec = bash(terminals, `read -r; exec seq 1 ${lines}`, { kind: 'shell' });
      await spawned(terminals.client, spec);
      const pane = await TestPane.open(terminals.client, spec.id, { acks: false });
      await pane.until(() => pane.replays === 1);
      pane.type('\n');
      const exit = await terminals.client.exited(spec.id);
      const printed = Array.from({ length: lines }, (_, at) => `${at + 1}\r\n`).join('');
      expect(exit).toMatchObject({ exitCode: 0, bytes: 2 + printed.length });
      pane.catchUp();
      await pane.until(() => pane.exit !== null);
      expect((await pane.text()).endsWith(`${lines}`)).toBe(true);
      pane.close();
    },
  );

  test('endless output nobody watches stays bounded', async () => {
    const spec = bash(terminals, 'yes "some line of text that repeats"');
    await spawned(terminals.client, spec);
    const tail = await new Promise<string>((resolve) => {
      const end = terminals.client.onProgress(spec.id, (progress) => {
        if (progress.bytes < 60 * 1024 * 1024) return;
        end();
        resolve(progress.tail);
      });
    });
    expect(tail).toContain('repeats');
    expect(await hostMemory()).toBeLessThan(350);
    const late = await TestPane.open(terminals.client, spec.id);
    await late.untilText('some line of text that repeats');
    await terminals.client.kill(spec.id, 0);
    late.close();
  });
});
