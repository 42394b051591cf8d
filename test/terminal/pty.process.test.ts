import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { FloodTurns } from '../../src/main/terminal/host/flood-turns';
import { HostedTerminal } from '../../src/main/terminal/host/hosted-terminal';
import { openPty, type PtyExit, readRest } from '../../src/main/terminal/host/pty';
import { systemProcesses } from '../../src/main/terminal/process/system-processes';
import { ok } from '../../src/shared/result';
import { until } from './support';

interface Ended {
  readonly output: string;
  readonly exit: PtyExit;
}

/** Starts a shell whose output nobody reads, and gives all it printed once it has ended. */
function runUnread(script: string): Promise<Ended> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const opened = openPty(
      {
        ...{ argv: ['/bin/sh', '-c', script], cwd: tmpdir(), cols: 80, rows: 24 },
        env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
      },
      {
        output: (chunk) => chunks.push(chunk),
        exited: (exit) => resolve({ exit, output: Buffer.concat(chunks).toString() }),
      },
    );
    if (!opened.ok) return reject(new Error(opened.error.message));
    opened.value.pause();
  });
}

const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `${at + 1}\r\n`).join('');

test.each([1, 500, 1_000])(
  'a program that ends before any of its %i lines was read loses none of them',
  async (count) => {
    const { output, exit } = await runUnread(`seq 1 ${count}; exit 3`);
    expect(output).toBe(lines(count));
    expect(exit).toEqual({ exitCode: 3 });
  },
);

test('what a program printed is read although something it left behind keeps the terminal open', async () => {
  const { output, exit } = await runUnread('trap "" HUP; sleep 5 & seq 1 300; kill $! & exit 0');
  expect(output).toBe(lines(300));
  expect(exit).toEqual({ exitCode: 0 });
});

test('a program left behind that never stops printing does not keep its terminal', async () => {
  const { output } = await runUnread('seq 1 100; (trap "" HUP; exec yes) & exit 0');
  expect(output).toContain('100\r\n');
});

test('keys never overtake a paste that their program is too slow for', async () => {
  const [paste, keys] = ['p'.repeat(400_000), 'k'.repeat(500)];
  const output = Promise.withResolvers<string>();
  let all = '';
  const bytes = paste.length + keys.length;
  const script = `stty raw -echo; echo ready; head -c ${bytes} | tail -c ${keys.length + 1}`;
  const opened = openPty(
    {
      ...{ argv: ['/bin/sh', '-c', script], cwd: tmpdir(), cols: 80, rows: 24 },
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    },
    {
      output(chunk) {
        const waited = !all.includes('ready');
        all += chunk.toString();
        if (waited && all.includes('ready')) type([paste, ...keys]);
      },
      exited: () => output.resolve(all),
    },
  );
  const type = ([text, ...later]: readonly string[]) => {
    if (text === undefined || !opened.ok) return;
    opened.value.write(Buffer.from(text));
    setImmediate(() => type(later));
  };
  expect(opened.ok).toBe(true);
  expect((await output.promise).replace(/^[^p]*/, '')).toBe(`p${keys}`);
});

test('output that cannot be read is said, not passed over', async () => {
  expect(readRest(-1, () => undefined).unread).toBeDefined();

  const said = Promise.withResolvers<unknown>();
  let end = (_exit: PtyExit): void => undefined;
  const opened = await HostedTerminal.open(
    {
      ...{ id: 'a', kind: 'command', sessionId: 's', project: '/', title: 't', cwd: '/' },
      ...{ argv: ['/bin/sh'], env: {}, cols: 80, rows: 24 },
    },
    {
      hostId: 'h',
      processes: systemProcesses(),
      ledger: {
        starting: () => undefined,
        started: () => undefined,
        members: () => undefined,
        ended: () => undefined,
      },
      seen: () => [],
      spared: new Set(),
      maxOutputBytes: 1_000,
      isHeard: () => true,
      floods: new FloodTurns({ together: 1, now: () => 0 }),
      inTurn: (act) => act(),
      openPty: (_spec, listener) => {
        end = listener.exited;
        const nothing = () => undefined;
        return ok({
          pid: 2 ** 30,
          write: nothing,
          resize: nothing,
          pause: nothing,
          resume: nothing,
          readsSecret: async () => false,
          readsKeys: async () => true,
          foreground: () => null,
          programOf: () => null,
          writtenBy: () => null,
          isPaused: () => false,
        });
      },
      changed: () => undefined,
      output: () => undefined,
      exited: (_info, exit) => said.resolve(exit),
      failed: said.reject,
    },
  );
  expect(opened.ok).toBe(true);
  end({ exitCode: 0, unread: 'EBADF' });
  expect(await said.promise).toMatchObject({
    exitCode: 0,
    note: 'The end of the output may be missing: EBADF.',
  });
  await until(() => opened.ok && opened.value.state.exit !== undefined);
});
