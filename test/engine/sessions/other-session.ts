import { type PlacedLine, parseObject } from '../../../src/main/engine/sessions/other-steps';

/** Lines of another agent's log, for tests. */
type Json = Readonly<Record<string, unknown>>;

const TIME = '2026-11-01T10:00:00.000Z';
export const text = (words: string): Json => ({ type: 'text', text: words });
export const call = (id: string, command = 'ls'): Json => ({
  ...{ type: 'tool_use', id, name: 'Bash', input: { command } },
});
export const output = (id: string, words: string, more: Json = {}): Json => ({
  ...{ type: 'tool_result', tool_use_id: id, content: words, ...more },
});

/** A line of Claude Code's: `uuid` follows `parent`. */
export const line = (
  type: 'user' | 'assistant',
  uuid: string,
  parent: string | null,
  content: unknown,
  more: Json = {},
): Json => ({
  ...{ type, uuid, parentUuid: parent, timestamp: TIME, isSidechain: false },
  message: { role: type, content, ...(type === 'assistant' ? { id: `msg_${uuid}` } : {}) },
  ...more,
});

/** A line of Codex's. */
export const item = (payload: Json, type = 'response_item'): Json => ({
  ...{ timestamp: TIME, type, payload },
});

export const jsonl = (lines: readonly Json[]): string =>
  lines.map((one) => `${JSON.stringify(one)}\n`).join('');

/** Takes a log apart as a reader of files does. */
export function placed(log: string): readonly PlacedLine[] {
  let offset = 0;
  return log.split('\n').flatMap((one) => {
    const at = offset;
    offset += Buffer.byteLength(one) + 1;
    return one.trim() === '' ? [] : [{ line: parseObject(one), offset: at }];
  });
}
