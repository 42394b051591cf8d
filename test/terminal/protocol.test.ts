import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { IdleExit } from '../../src/main/terminal/host/host';
import {
  encodeJsonRecord,
  encodeRecord,
  PROTOCOL,
  parseCall,
  parseHello,
  parseJsonRecord,
  RecordReader,
} from '../../src/main/terminal/protocol/control';
import { hostPlace } from '../../src/main/terminal/run-folder';

describe('records', () => {
  test('come out as they went in, however the stream is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }),
        (payloads, cuts) => {
          const stream = Buffer.concat(payloads.map(encodeRecord));
          const reader = new RecordReader(1_000);
          const records: Uint8Array[] = [];
          for (let at = 0, turn = 0; at < stream.byteLength; turn += 1) {
            const size = cuts[turn % cuts.length] ?? 1;
            records.push(...(reader.push(stream.subarray(at, at + size)) ?? []));
            at += size;
          }
          expect(records.map((record) => [...record])).toEqual(
            payloads.map((payload) => [...payload]),
          );
        },
      ),
    );
  });

  test('that are too long end the stream', () => {
    expect(new RecordReader(10).push(encodeRecord(Buffer.alloc(10)))).toHaveLength(1);
    expect(new RecordReader(10).push(encodeRecord(Buffer.alloc(11)))).toBeNull();
    expect(new RecordReader(10).push(Buffer.from([0xff, 0xff, 0xff, 0xff]))).toBeNull();
  });

  test('hold JSON objects or nothing', () => {
    const read = (value: unknown) => parseJsonRecord(encodeJsonRecord(value).subarray(4));
    expect([read({ a: 1 }), read([1]), read(null), read('x')]).toEqual([
      { a: 1 },
      null,
      null,
      null,
    ]);
    expect(parseJsonRecord(Buffer.from('{"a":'))).toBeNull();
  });
});

describe('requests', () => {
  const spec = {
    ...{ id: 'a', kind: 'shell', sessionId: '', project: '/p', title: 't', cwd: '/p' },
    ...{ argv: ['sh'], env: {}, cols: 80, rows: 24 },
  };
  test.each([
    [{ method: 'spawn', spec }, true],
    [{ method: 'spawn', spec: { ...spec, id: '' } }, false],
    [{ method: 'spawn', spec: { ...spec, id: 'x'.repeat(201) } }, false],
    [{ method: 'spawn', spec: { ...spec, kind: 'root' } }, false],
    [{ method: 'spawn', spec: { ...spec, cwd: undefined } }, false],
    [{ method: 'spawn', spec: { ...spec, outputFile: 5 } }, false],
    [{ method: 'spawn', spec: { ...spec, cols: '80' } }, false],
    [{ method: 'spawn', spec: { ...spec, argv: [] } }, false],
    [{ method: 'spawn', spec: { ...spec, env: [] } }, false],
    [{ method: 'kill', terminalId: 'a', graceMs: 5 }, true],
    [{ method: 'kill', terminalId: 5 }, false],
    [{ method: 'list' }, true],
    [{ method: 'toString' }, false],
    [{}, false],
    [null, false],
    [[], false],
  ])('%j is accepted: %s', (call, accepted) => {
    expect(parseCall(call).ok).toBe(accepted);
  });

  test.each([
    [500, 500],
    [-1, 0],
    [1e9, 60_000],
    [Number.NaN, 0],
    ['5', 0],
    [undefined, 0],
  ])('a grace time of %s is %d', (given, graceMs) => {
    expect(parseCall({ method: 'shutdown', graceMs: given })).toEqual({
      ok: true,
      value: { method: 'shutdown', graceMs },
    });
  });

  test.each([
    [{ role: 'control', protocol: PROTOCOL, token: 'x' }, 'ok'],
    [{ role: 'admin', protocol: PROTOCOL, token: 'x' }, 'bad_request'],
    [{ role: 'viewer', protocol: PROTOCOL + 1, token: 'x' }, 'protocol_mismatch'],
    [{ role: 'viewer', protocol: PROTOCOL }, 'bad_token'],
    [null, 'bad_request'],
  ])('a greeting %j is %s', (hello, code) => {
    const parsed = parseHello(hello);
    expect(parsed.ok ? 'ok' : parsed.error.code).toBe(code);
  });
});

describe('where a host lives', () => {
  test.each([
    ['/home/a/.lathe/run', 'linux', '/home/a/.lathe/run/terminal-host-v3.sock'],
    ['/home/b/.lathe/run', 'darwin', '/home/b/.lathe/run/terminal-host-v3.sock'],
  ] as const)('%s (%s)', (folder, platform, socket) => {
    expect(hostPlace(folder, platform, '/tmp').socket).toBe(socket);
  });

  test('long paths and Windows get a name by hash, one for each home', () => {
    const long = `/home/${'ü'.repeat(60)}/.lathe/run`;
    const one = hostPlace(long, 'linux', '/tmp').socket;
    expect(one).toMatch(/^\/tmp\/lathe-[0-9a-f]{16}\/s$/);
    expect(hostPlace(`${long}2`, 'linux', '/tmp').socket).not.toBe(one);
    expect(hostPlace('C:\\Users\\a', 'win32').socket).toMatch(/^\\\\\.\\pipe\\lathe-[0-9a-f]{16}$/);
  });
});

describe('exit when idle', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('only after a whole quiet minute', () => {
    let [idle, exits] = [true, 0];
    const watch = new IdleExit({
      delayMs: 60_000,
      isIdle: () => idle,
      exit: () => {
        exits += 1;
      },
    });
    watch.check();
    vi.advanceTimersByTime(59_999);
    watch.check();
    idle = false;
    watch.check();
    vi.advanceTimersByTime(120_000);
    expect(exits).toBe(0);
    idle = true;
    watch.check();
    vi.advanceTimersByTime(59_999);
    expect(exits).toBe(0);
    vi.advanceTimersByTime(1);
    expect(exits).toBe(1);
  });

  test('not when it is in use at that moment, even if nobody said so', () => {
    let [idle, exits] = [true, 0];
    const watch = new IdleExit({
      delayMs: 10,
      isIdle: () => idle,
      exit: () => {
        exits += 1;
      },
    });
    watch.check();
    idle = false;
    vi.advanceTimersByTime(10);
    expect(exits).toBe(0);
  });
});
