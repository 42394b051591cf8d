import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  BATCH_BYTES,
  BATCH_MS,
  Batcher,
  completeLength,
} from '../../src/main/terminal/host/batcher';
import { OutputFile, type Sink } from '../../src/main/terminal/host/output-file';
import { OutputCount, PROGRESS_MS, ProgressReporter } from '../../src/main/terminal/host/progress';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('where output may be cut', () => {
  test.each([
    ['', ''],
    ['plain', ''],
    ['grün', ''],
    ['gr\xc3', '\xc3'],
    ['x\xe2\x9c', '\xe2\x9c'],
    ['x\xe2\x9c\x93', ''],
    ['x\xf0\x9f\x9a', '\xf0\x9f\x9a'],
    ['broken\x93\x93\x93\x93', ''],
    ['a\x1b', '\x1b'],
    ['a\x1b[', '\x1b['],
    ['a\x1b[1;3', '\x1b[1;3'],
    ['a\x1b[1;31m', ''],
    ['a\x1b[1;31mtext', ''],
    ['a\x1b[?2004', '\x1b[?2004'],
    ['a\x1b(', '\x1b('],
    ['a\x1b(B', ''],
    ['a\x1b7', ''],
    ['a\x1b]0;ti', '\x1b]0;ti'],
    ['a\x1b]0;title\x07', ''],
    ['a\x1b]0;title\x1b', '\x1b]0;title\x1b'],
    ['a\x1b]0;title\x1b\\', ''],
    ['a\x1b]0;title\x07b\x1b', '\x1b'],
    ['a\x1bPq#0', '\x1bPq#0'],
    ['a\x1bP\x18', ''],
    [`a\x1b]52;${'x'.repeat(5_000)}`, ''],
  ])('%j keeps %j back', (text, back) => {
    const bytes = Buffer.from(text, text.includes('ü') ? 'utf8' : 'latin1');
    expect(bytes.subarray(completeLength(bytes)).toString('latin1')).toBe(back);
  });

  test('however output is chunked, batches join to the same bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 }), (chunks) => {
        const got: Buffer[] = [];
        const batcher = new Batcher((batch) => got.push(batch));
        for (const chunk of chunks) {
          batcher.push(Buffer.from(chunk));
          if (chunk.length % 3 === 0) batcher.flush();
        }
        batcher.finish();
        expect(Buffer.concat(got)).toEqual(Buffer.concat(chunks));
      }),
    );
  });
});

describe('batches', () => {
  const collect = () => {
    const got: string[] = [];
    return { got, batcher: new Batcher((batch) => got.push(batch.toString())) };
  };

  test('the first comes at once, what follows it after 5 ms, joined', () => {
    const { got, batcher } = collect();
    batcher.push(Buffer.from('a'));
    expect(got).toEqual(['a']);
    batcher.push(Buffer.from('b'));
    vi.advanceTimersByTime(BATCH_MS - 1);
    batcher.push(Buffer.from('c'));
    expect(got).toEqual(['a']);
    vi.advanceTimersByTime(1);
    expect(got).toEqual(['a', 'bc']);
    batcher.push(Buffer.from('d'));
    expect(got).toEqual(['a', 'bc']);
    vi.advanceTimersByTime(2 * BATCH_MS);
    batcher.push(Buffer.from('e'));
    expect(got).toEqual(['a', 'bc', 'd', 'e']);
  });

  test('a flood comes in few of them', () => {
    const { got, batcher } = collect();
    for (let at = 0; at < 1_000; at += 1) {
      batcher.push(Buffer.alloc(1_000, 'x'));
      if (at % 10 === 9) vi.advanceTimersByTime(1);
    }
    vi.advanceTimersByTime(BATCH_MS);
    expect(got.join('')).toHaveLength(1_000_000);
    expect(got.length).toBeLessThanOrEqual(100 / BATCH_MS + 2);
  });

  test('come at once when they are full', () => {
    const { got, batcher } = collect();
    batcher.push(Buffer.alloc(BATCH_BYTES, 'x'));
    expect(got.map((batch) => batch.length)).toEqual([BATCH_BYTES]);
    vi.advanceTimersByTime(BATCH_MS);
    expect(got).toHaveLength(1);
  });

  test('wait for the rest of a character, but not at the end', () => {
    const { got, batcher } = collect();
    batcher.push(Buffer.from([0x61, 0xe2, 0x9c]));
    vi.advanceTimersByTime(1_000);
    expect(got).toEqual(['a']);
    batcher.push(Buffer.from([0x93, 0xe2]));
    expect(got).toEqual(['a', '✓']);
    batcher.finish();
    expect(got).toHaveLength(3);
  });
});

describe('counting output', () => {
  test('the tail is bounded and begins with a whole line', () => {
    const count = new OutputCount();
    for (let at = 0; at < 5_000; at += 1) count.add(Buffer.from(`line ${at}\n`));
    const { bytes, lines, tail } = count.progress();
    expect(lines).toBe(5_000);
    expect(bytes).toBe(Array.from({ length: 5_000 }, (_, at) => `line ${at}\n`).join('').length);
    expect(tail.startsWith('line ')).toBe(true);
    expect(tail.endsWith('line 4999\n')).toBe(true);
    expect(tail.length).toBeLessThanOrEqual(8 * 1024);
  });

  test('at the end all of a short output is told, and the last lines of a long one', () => {
    const count = new OutputCount();
    count.add(Buffer.from('one\ntwo\n'));
    expect(count.atEnd(null)).toEqual({ output: 'one\ntwo\n', lines: 2 });
    for (let at = 0; at < 5_000; at += 1) count.add(Buffer.from(`line ${at}\n`));
    const tail = expect.stringMatching(/^line \d+\n.*line 4999\n$/s);
    expect(count.atEnd(null)).toEqual({ tail, lines: 5_002 });
  });

  test('one endless line still has a tail, cut between characters', () => {
    const count = new OutputCount();
    count.add(Buffer.from('✓'.repeat(10_000)));
    expect(count.progress().tail).toMatch(/^✓+$/);
  });
});

describe('the output file', () => {
  /** A disk whose writes finish when told to. */
  function slowDisk() {
    const written: Buffer[] = [];
    const open: (() => void)[] = [];
    let closed = false;
    const write = (bytes: Buffer, offset: number, length: number) =>
      new Promise<{ bytesWritten: number }>((resolve) => {
        open.push(() => {
          // Half a write at a time, as systems may do.
          const part = Math.max(1, Math.ceil(length / 2));
          written.push(Buffer.from(bytes.subarray(offset, offset + part)));
          resolve({ bytesWritten: part });
        });
      });
    const close = async () => {
      closed = true;
    };
    const sink: Sink = { opened: async () => undefined, write, close };
    const work = async (until: () => boolean) => {
      while (!until()) {
        open.shift()?.();
        await Promise.resolve();
      }
    };
    return { sink, work, text: () => Buffer.concat(written).toString(), isClosed: () => closed };
  }

  test('keeps the order, finishes half writes, and is closed only when all is written', async () => {
    const disk = slowDisk();
    const file = new OutputFile(disk.sink);
    for (let at = 0; at < 50; at += 1) file.append(Buffer.from(`${at},`));
    let finished = false;
    const finish = file.finish().then(() => {
      finished = true;
    });
    expect(disk.isClosed()).toBe(false);
    await disk.work(() => finished);
    await finish;
    expect(disk.text()).toBe(Array.from({ length: 50 }, (_, at) => `${at},`).join(''));
    expect(disk.isClosed()).toBe(true);
    expect(file.truncated).toBeNull();
  });

  test('a disk that does not keep up leaves a marked gap and bounded memory', async () => {
    const disk = slowDisk();
    const file = new OutputFile(disk.sink);
    const mebibyte = Buffer.alloc(1024 * 1024, 'x');
    for (let at = 0; at < 40; at += 1) file.append(mebibyte);
    expect(file.truncated).toContain('did not keep up');
    let finished = false;
    const finish = file.finish().then(() => {
      finished = true;
    });
    await disk.work(() => finished);
    await finish;
    expect(disk.text()).toContain(`[${8 * 1024 * 1024} bytes of output were not written here]`);
  });

  test('asks for a pause while the disk is behind, and tells when it has caught up', async () => {
    const disk = slowDisk();
    const file = new OutputFile(disk.sink);
    const caughtUp = vi.fn();
    file.onCaughtUp(caughtUp);
    const mebibyte = Buffer.alloc(1024 * 1024, 'x');
    file.append(mebibyte);
    file.append(mebibyte);
    expect(file.behind).toBe(false);
    file.append(mebibyte);
    expect(file.behind).toBe(true);
    expect(caughtUp).not.toHaveBeenCalled();
    await disk.work(() => caughtUp.mock.calls.length > 0);
    expect(file.behind).toBe(false);
    expect(file.truncated).toBeNull();
  });

  test('a full disk is said, and nothing is tried again', async () => {
    let tries = 0;
    const sink: Sink = {
      opened: async () => undefined,
      write: async () => {
        tries += 1;
        throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      },
      close: async () => undefined,
    };
    const file = new OutputFile(sink);
    file.append(Buffer.from('a'));
    await vi.advanceTimersByTimeAsync(0);
    file.append(Buffer.from('b'));
    await file.finish();
    expect(file.truncated).toBe('the disk is full');
    expect(file.unsaved).toBe('the disk is full');
    expect(tries).toBe(1);
  });

  test('one that cannot be made stops no program, and says so', async () => {
    const file = await OutputFile.open('/dev/null/tasks/one.output');
    file.append(Buffer.from('a'));
    await file.finish();
    expect(file.unsaved).toContain('ENOTDIR');
  });
});

describe('the file of a silent program', () => {
  test('is there before the end of its program is told', async () => {
    const opening = Promise.withResolvers<void>();
    const file = new OutputFile({
      opened: () => opening.promise,
      write: async (_bytes, _offset, length) => ({ bytesWritten: length }),
      close: async () => undefined,
    });
    let told = false;
    const written = file.written().then(() => {
      told = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(told).toBe(false);
    opening.resolve();
    await written;
    expect(file.truncated).toBeNull();
  });
});

describe('progress', () => {
  test('at the end what is left of a long output is told when no file has it', () => {
    const count = new OutputCount();
    count.add(Buffer.from('one\n'));
    const full = { unsaved: 'the disk is full' };
    expect(count.atEnd(full)).toEqual({ lines: 1, output: 'one\n', ...full });
    count.add(Buffer.from('0123456\n'.repeat(2000)));
    expect(count.atEnd(null).output).toBeUndefined();
    expect(count.atEnd(full).output).toMatch(
      /^\[78\d\d bytes of output came before this\]\n0123456\n/,
    );
  });

  test('comes at most ten times a second, and the last is never lost', () => {
    const seen: number[] = [];
    const reporter = new ProgressReporter(() => seen.push(Date.now()));
    reporter.watch('t');
    const start = Date.now();
    for (let at = 0; at < 100; at += 1) {
      reporter.progressed('t');
      vi.advanceTimersByTime(10);
    }
    expect(seen[0]).toBe(start + PROGRESS_MS);
    expect(seen.length).toBeLessThanOrEqual(1_000 / PROGRESS_MS + 1);
    expect(seen.length).toBeGreaterThanOrEqual(9);
    const before = seen.length;
    reporter.progressed('t');
    reporter.finish('t');
    expect(seen).toHaveLength(before + 1);
    reporter.progressed('t');
    vi.advanceTimersByTime(1_000);
    expect(seen).toHaveLength(before + 1);
  });

  test('nobody is told of terminals nobody watches', () => {
    const seen: string[] = [];
    const reporter = new ProgressReporter((id) => seen.push(id));
    reporter.progressed('other');
    reporter.watch('t');
    reporter.unwatch('t');
    reporter.progressed('t');
    vi.advanceTimersByTime(1_000);
    expect(seen).toEqual([]);
  });

  test('of a quick command comes once, at its end', () => {
    const seen: string[] = [];
    const reporter = new ProgressReporter((id) => seen.push(id));
    reporter.watch('t');
    reporter.progressed('t');
    reporter.progressed('t');
    expect(seen).toEqual([]);
    reporter.finish('t');
    expect(seen).toEqual(['t']);
  });

  test('waits while its reader is behind, and comes when that has read', () => {
    const seen: string[] = [];
    let behind = true;
    const reporter = new ProgressReporter(
      (id) => seen.push(id),
      () => behind,
    );
    reporter.watch('t');
    for (let at = 0; at < 50; at += 1) {
      reporter.progressed('t');
      vi.advanceTimersByTime(PROGRESS_MS);
    }
    expect(seen).toEqual([]);
    behind = false;
    vi.advanceTimersByTime(PROGRESS_MS);
    expect(seen).toEqual(['t']);
    vi.advanceTimersByTime(10 * PROGRESS_MS);
    expect(seen).toEqual(['t']);
    behind = true;
    reporter.progressed('t');
    reporter.finish('t');
    expect(seen).toEqual(['t', 't']);
  });

  test('is reported to who begins to watch, also when no more output comes', () => {
    const seen: string[] = [];
    const reporter = new ProgressReporter((id) => seen.push(id));
    reporter.watch('t');
    vi.advanceTimersByTime(PROGRESS_MS);
    expect(seen).toEqual(['t']);
    vi.advanceTimersByTime(1_000);
    expect(seen).toEqual(['t']);
  });
});
