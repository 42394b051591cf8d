import { join } from 'node:path';
import { execPath } from 'node:process';
import { describe, expect, it } from 'vitest';
import { createNodePrograms, unpacked } from '../../src/main/node/programs';
import { createNodeClock, createNodeIds } from '../../src/main/node/system';
import { tempFolder } from './temp-folder';

const limits = { maxBytes: 1_000_000, timeoutMs: 15_000 };
const script = (source: string) => [execPath, '-e', source];

describe('programs', () => {
  it('passes arguments untouched, without a shell', async () => {
    const cwd = await tempFolder();
    const argument = `$(echo no) "quoted" 'x' ; ls\n✓`;
    const ended = await createNodePrograms().run(
      [execPath, '-p', 'JSON.stringify(process.argv.slice(1))', '--', argument],
      { cwd, ...limits },
    );
    if (!ended.ok) throw new Error(ended.error.message);
    expect(JSON.parse(Buffer.from(ended.value.stdout).toString())).toEqual([argument]);
  });

  it('gives exit code and standard error', async () => {
    const cwd = await tempFolder();
    const ended = await createNodePrograms().run(script('console.error("bad"); process.exit(3)'), {
      cwd,
      ...limits,
    });
    expect(ended).toMatchObject({
      ok: true,
      value: { exitCode: 3, stderr: 'bad\n', truncated: false },
    });
  });

  it('keeps keys out of the environment', async () => {
    const cwd = await tempFolder();
    const programs = createNodePrograms({
      ...process.env,
      ANTHROPIC_API_KEY: 'sk',
      RIPGREP_CONFIG_PATH: '/x',
    });
    const ended = await programs.run(script('console.log(JSON.stringify(process.env))'), {
      cwd,
      ...limits,
      env: { EXTRA: '1' },
    });
    if (!ended.ok) throw new Error(ended.error.message);
    const seen = JSON.parse(Buffer.from(ended.value.stdout).toString());
    expect(seen.PATH).toBe(process.env['PATH']);
    expect(seen.EXTRA).toBe('1');
    expect(seen.ANTHROPIC_API_KEY).toBeUndefined();
    expect(seen.RIPGREP_CONFIG_PATH).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')(
    'stops a program that takes more memory than it may',
    async () => {
      const cwd = await tempFolder();
      const hungry = script('const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1));');
      const maxMemoryBytes = 200 * 1024 * 1024;
      const ended = await createNodePrograms().run(hungry, { cwd, ...limits, maxMemoryBytes });
      expect(ended).toMatchObject({ ok: false, error: { code: 'memory' } });
    },
  );

  it('stops a program that prints without end, and keeps what fits', async () => {
    const cwd = await tempFolder();
    const ended = await createNodePrograms().run(['yes'], {
      cwd,
      maxBytes: 10_000,
      timeoutMs: 15_000,
    });
    expect(ended).toMatchObject({ ok: true, value: { truncated: true } });
    expect(ended.ok && ended.value.stdout.byteLength).toBe(10_000);
  });

  it('kills on timeout', async () => {
    const cwd = await tempFolder();
    const ended = await createNodePrograms().run(['sleep', '60'], {
      cwd,
      maxBytes: 1,
      timeoutMs: 50,
    });
    expect(ended).toMatchObject({ ok: false, error: { code: 'timeout' } });
  });

  it('kills on abort, and does not start when it is too late', async () => {
    const cwd = await tempFolder();
    const controller = new AbortController();
    const running = createNodePrograms().run(
      ['sleep', '60'],
      { cwd, ...limits },
      controller.signal,
    );
    controller.abort();
    expect(await running).toMatchObject({ ok: false, error: { code: 'aborted' } });
    const late = await createNodePrograms().run(
      ['no-such-thing'],
      { cwd, ...limits },
      controller.signal,
    );
    expect(late).toMatchObject({ ok: false, error: { code: 'aborted' } });
  });

  it('tells a missing program from a missing folder', async () => {
    const cwd = await tempFolder();
    const missing = await createNodePrograms().run(['lathe-no-such-program'], { cwd, ...limits });
    expect(!missing.ok && missing.error).toEqual({
      code: 'not_found',
      message: 'The program lathe-no-such-program is not installed.',
    });
    const nowhere = await createNodePrograms().run(['true'], { cwd: join(cwd, 'gone'), ...limits });
    expect(!nowhere.ok && nowhere.error.message).toContain('gone does not exist');
  });

  it('finds the bundled ripgrep, and its place beside a packaged archive', async () => {
    const cwd = await tempFolder();
    const programs = createNodePrograms();
    const ended = await programs.run([programs.ripgrep, '--version'], { cwd, ...limits });
    expect(ended.ok && Buffer.from(ended.value.stdout).toString()).toMatch(/^ripgrep \d+/);
    expect(unpacked('/opt/Lathe/resources/app.asar/node_modules/rg')).toBe(
      '/opt/Lathe/resources/app.asar.unpacked/node_modules/rg',
    );
  });
});

describe('clock and ids', () => {
  it('sleep ends at once when the signal aborts, before or during', async () => {
    const clock = createNodeClock();
    await clock.sleep(60_000, AbortSignal.abort());
    const controller = new AbortController();
    const sleeping = clock.sleep(60_000, controller.signal);
    controller.abort();
    await sleeping;
    await clock.sleep(0);
  });

  it('ids carry their prefix and never repeat', () => {
    const ids = createNodeIds();
    const made = Array.from({ length: 10_000 }, () => ids.next('b'));
    expect(new Set(made).size).toBe(made.length);
    expect(made[0]).toMatch(/^b_[0-9a-hjkmnp-tv-z]{12}$/);
    expect(ids.uuid()).toMatch(/^[0-9a-f-]{36}$/);
  });
});
