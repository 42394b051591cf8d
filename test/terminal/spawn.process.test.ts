import { readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { bash, shell, spawned, untilOutput } from './support';

let terminals: TestTerminals;
let outputs = 0;
beforeAll(async () => {
  terminals = await startTestTerminals();
});
afterAll(() => terminals.stop());

const run = async (command: string, extra = {}) => {
  const outputFile = join(terminals.folder, `out-${outputs++}.txt`);
  const spec = bash(terminals, command, { outputFile, ...extra });
  await spawned(terminals.client, spec);
  const exit = await terminals.client.exited(spec.id);
  return { exit, output: await readFile(outputFile), id: spec.id, outputFile };
};

describe('a command in a terminal', () => {
  test.each([
    ['true', { exitCode: 0 }],
    ['exit 3', { exitCode: 3 }],
    ['exit 255', { exitCode: 255 }],
    ['kill -TERM $$', { exitCode: null, signal: 15 }],
    ['kill -KILL $$', { exitCode: null, signal: 9 }],
  ])('%s ends as %o', async (command, expected) => {
    const { exit } = await run(command);
    expect(exit).toMatchObject(expected);
    expect(exit.lost).toBeUndefined();
  });

  test('the last output of 200 short commands is never lost', async () => {
    const words: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      const batch = Array.from({ length: 10 }, (_, at) => run(`echo word-${round}-${at}`));
      for (const { output } of await Promise.all(batch)) words.push(output.toString());
    }
    const expected = Array.from(
      { length: 200 },
      (_, at) => `word-${Math.floor(at / 10)}-${at % 10}\r\n`,
    );
    expect(words).toEqual(expected);
  });

  test('the output file is complete when the end is reported, and only its owner can read it', async () => {
    const { exit, output, outputFile } = await run('seq 1 200000');
    expect(output.toString()).toBe(
      Array.from({ length: 200_000 }, (_, at) => `${at + 1}\r\n`).join(''),
    );
    expect(exit.bytes).toBe(output.byteLength);
    expect((await stat(outputFile)).mode & 0o777).toBe(0o600);
  });

  test('bytes that are no UTF-8 are kept, and the pty knows that input is UTF-8', async () => {
    const { output } = await run("printf '\\377\\000\\303'; stty -a | grep -o '.iutf8'");
    expect([...output.subarray(0, 3)]).toEqual([0xff, 0x00, 0xc3]);
    expect(output.subarray(3).toString().trim()).toBe('iutf8');
  });

  test('processes carry the tags of their terminal and nothing else is added', async () => {
    const { output, id } = await run('env', { env: { PATH: '/usr/bin:/bin', ONLY: 'this' } });
    const names = output.toString().trim().split('\r\n');
    expect(names).toContain(`LATHE_TERMINAL=${id}`);
    expect(names).toContain('ONLY=this');
    expect(names.filter((line) => line.startsWith('ANTHROPIC') || line.startsWith('npm_'))).toEqual(
      [],
    );
  });

  test.each([
    [{ cwd: '/nowhere/at/all' }, 'no_folder'],
    [{ cwd: '/etc/passwd' }, 'no_folder'],
    [{ argv: ['no-such-program-here'] }, 'no_program'],
    [{ argv: ['/etc'] }, 'no_program'],
    [{ argv: [] }, 'bad_request'],
  ])('cannot start with %o', async (extra, code) => {
    const started = await terminals.client.spawn(bash(terminals, 'true', extra));
    expect(started.ok ? 'started' : started.error.code).toBe(code);
  });

  test('starts without the file of its output, and hands the output over', async () => {
    const spec = bash(terminals, 'echo told', { outputFile: '/etc/passwd/here.txt' });
    expect((await terminals.client.spawn(spec)).ok).toBe(true);
    const exit = await terminals.client.exited(spec.id);
    expect(exit).toMatchObject({ exitCode: 0, output: 'told\r\n' });
    expect(exit.note).toContain('Part of the output was not saved: ');
  });

  test('an id is used once', async () => {
    const spec = bash(terminals, 'sleep 60');
    const both = await Promise.all([terminals.client.spawn(spec), terminals.client.spawn(spec)]);
    expect(both.map((one) => (one.ok ? 'ok' : one.error.code)).sort()).toEqual([
      'ok',
      'terminal_exists',
    ]);
    await terminals.client.kill(spec.id, 0);
  });

  test.each([
    [0, 0, 2, 1],
    [-5, -1, 2, 1],
    [1_000_000, 1_000_000, 1_000, 1_000],
    [100.9, 30.2, 100, 30],
  ])('a size of %d × %d becomes %d × %d', async (cols, rows, realCols, realRows) => {
    const { output, id } = await run('stty size', { cols, rows });
    expect(output.toString().trim()).toBe(`${realRows} ${realCols}`);
    const info = (await terminals.client.list()).find((one) => one.id === id);
    expect(info).toMatchObject({ cols: realCols, rows: realRows });
  });

  test('progress counts bytes and lines and carries the last lines', async () => {
    const spec = bash(terminals, 'seq 1 50000; printf "päuse"; read -r');
    await spawned(terminals.client, spec);
    await untilOutput(terminals.client, spec.id, '50000\r\npäuse');
    const progress = await new Promise<{ bytes: number; lines: number; tail: string }>(
      (resolve) => {
        const end = terminals.client.onProgress(spec.id, (now) => {
          end();
          resolve(now);
        });
      },
    );
    expect(progress.lines).toBe(50_000);
    expect(progress.bytes).toBe(288_894 + 50_000 + Buffer.byteLength('päuse'));
    expect(progress.tail.length).toBeLessThanOrEqual(8 * 1024);
    expect(progress.tail).toMatch(/^\d+\r\n/);
    await terminals.client.kill(spec.id, 0);
  });

  test('the end comes after the last progress', async () => {
    const spec = bash(terminals, 'read -r; seq 1 100; echo last');
    const seen: string[] = [];
    const info = await spawned(terminals.client, spec);
    terminals.client.onProgress(spec.id, ({ tail }) => seen.push(tail));
    expect(info.pid).toBeGreaterThan(1);
    const channel = await terminals.client.openViewerChannel(
      () => undefined,
      () => undefined,
    );
    if (!channel.ok) throw new Error(channel.error.message);
    const { encodeFrame, FrameKind, jsonPayload } = await import('../../src/shared/terminal-wire');
    const send = (kind: number, payload: Uint8Array) =>
      channel.value.send(encodeFrame({ kind: kind as 1, viewer: 1, payload }));
    send(FrameKind.attach, jsonPayload({ terminalId: spec.id }));
    // Input is ignored while the first picture is on its way, so it is repeated until it counts.
    const typing = setInterval(() => send(FrameKind.input, Buffer.from('\n')), 20);
    await terminals.client.exited(spec.id);
    clearInterval(typing);
    channel.value.close();
    expect(seen.at(-1)).toContain('last\r\n');
  });

  test('a full disk does not stop a command; what is missing is told', async () => {
    // In a folder of the test: only the superuser may make files in /dev.
    const outputFile = join(terminals.folder, 'full');
    await symlink('/dev/full', outputFile);
    const spec = bash(terminals, 'seq 1 50000; exit 2', { outputFile });
    await spawned(terminals.client, spec);
    expect(await terminals.client.exited(spec.id)).toMatchObject({
      exitCode: 2,
      bytes: 338_894,
      note: 'Part of the output was not saved: the disk is full.',
    });
  });

  test('a file that cannot be made after all does not stop a command either', async () => {
    const spec = bash(terminals, 'echo fine; exit 2', { outputFile: terminals.folder });
    await spawned(terminals.client, spec);
    expect(await terminals.client.exited(spec.id)).toMatchObject({
      exitCode: 2,
      output: 'fine\r\n',
      note: expect.stringMatching(/^Part of the output was not saved: EISDIR/),
    });
  });

  test('questions of a program to its terminal are not answered by the host', async () => {
    const { output } = await run(
      'printf \'\\e[6n\\e[c\\e[21t\\eP$qm\\e\\\\\\e]52;c;?\\a\'; read -r -t 0.3 -n 1 x; echo "got=[$x]"',
    );
    expect(output.toString()).toContain('got=[]');
  });

  test('a command that prints too much is stopped, and the reason is told', async () => {
    const small = await startTestTerminals({ hostArgs: ['--max-output-bytes', '2097152'] });
    const outputFile = join(small.folder, 'yes.txt');
    const spec = bash(small, 'yes', { outputFile });
    await spawned(small.client, spec);
    const exit = await small.client.exited(spec.id);
    expect(exit.stopped).toBe('Stopped because its output passed 2 MiB.');
    expect((await stat(outputFile)).size).toBeLessThan(3 * 1024 * 1024);
    await small.stop();
  });
});

describe('the list of terminals', () => {
  test('shows what runs, what ended, and forgets what is dismissed', async () => {
    const { client } = terminals;
    const lists: string[][] = [];
    const end = client.onChanged((list) => lists.push(list.map((one) => one.id)));
    const spec = shell(terminals);
    await spawned(client, spec);
    expect((await client.list()).find((one) => one.id === spec.id)).toMatchObject({
      kind: 'shell',
      cwd: terminals.folder,
    });
    await client.dismiss(spec.id);
    await client.kill(spec.id, 200);
    expect((await client.exited(spec.id)).lost).toBeUndefined();
    const ended = (await client.list()).find((one) => one.id === spec.id);
    expect(ended?.endedAt).toBeGreaterThan(0);
    await client.dismiss(spec.id);
    expect((await client.list()).some((one) => one.id === spec.id)).toBe(false);
    expect(lists.at(-1)).not.toContain(spec.id);
    end();
  });

  test('dismissing a running terminal does not hide it', async () => {
    const spec = bash(terminals, 'sleep 60');
    await spawned(terminals.client, spec);
    await terminals.client.dismiss(spec.id);
    expect((await terminals.client.list()).map((one) => one.id)).toContain(spec.id);
    await terminals.client.kill(spec.id, 0);
  });

  test('an unknown terminal is lost, not waited for', async () => {
    expect((await terminals.client.exited('never-was')).lost).toBe('There is no such terminal.');
  });
});
