import {
  IDLE,
  reduceStream,
  type StreamEvent,
  type StreamState,
} from '../../../src/main/engine/model/stream-reducer';

/** Stands in for what a server leaves out. */
const NAMES = { messageId: 'msg_local', model: 'm' };

/** Folds events and gives all that came of them. */
export function play(events: readonly unknown[]): { state: StreamState; out: StreamEvent[] } {
  let state = IDLE;
  const out: StreamEvent[] = [];
  for (const event of events) {
    const step = reduceStream(state, event, NAMES);
    state = step.state;
    out.push(...step.events);
  }
  return { state, out };
}

export const start = (usage: object = {}) => ({
  type: 'message_start',
  message: { id: 'msg_1', model: 'claude-opus-5-5', usage },
});
export const open = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
export const delta = (index: number, d: object) => ({
  type: 'content_block_delta',
  index,
  delta: d,
});
export const json = (index: number, partial_json: string) =>
  delta(index, { type: 'input_json_delta', partial_json });
export const close = (index: number) => ({ type: 'content_block_stop', index });
export const end = (stop_reason = 'end_turn', usage: object = {}) => [
  { type: 'message_delta', delta: { stop_reason }, usage },
  { type: 'message_stop' },
];
export const toolBlock = { type: 'tool_use', id: 't1', name: 'Bash', input: {} };
export const kinds = (out: readonly StreamEvent[]) =>
  out.map((e) => e.type).filter((type) => type !== 'alive');
export const finished = (out: readonly StreamEvent[]) =>
  out.flatMap((e) => (e.type === 'block_finished' ? [e.block] : []));
