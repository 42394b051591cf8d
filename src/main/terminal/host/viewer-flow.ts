import { FLOW } from '../../../shared/terminal-wire';

/** A viewer with more than this waiting gets the screen anew instead of the bytes it missed. Bytes. */
export const STALE_BYTES = 1024 * 1024;

/**
 * How one viewer keeps up. `replaying`: a picture of the screen is on its way, bytes after it wait. `live`: bytes are
 * sent as they come. `blocked`: too much unacknowledged, bytes wait. `stale`: too much waited, a new picture is due.
 */
export interface ViewerFlow {
  readonly phase: 'replaying' | 'live' | 'blocked' | 'stale';
  /** Sent and not acknowledged; replays do not count. Bytes. */
  readonly unacked: number;
  /** Waiting to be sent. Bytes. */
  readonly queued: number;
  /** Bytes were left out since the picture was taken. */
  readonly gap: boolean;
}

/** What happened to a viewer. */
export type FlowInput =
  | { readonly type: 'acked'; readonly bytes: number }
  /** One waiting batch was sent. */
  | { readonly type: 'sent'; readonly bytes: number }
  | { readonly type: 'replay_started' }
  | { readonly type: 'replay_sent' }
  /** The terminal's size changed under the viewer. */
  | { readonly type: 'outdated' };

/** What to do with a batch. */
export type FlowAct = 'send' | 'queue' | 'drop';

/** A viewer that has just attached. */
export const attachedFlow: ViewerFlow = { phase: 'replaying', unacked: 0, queued: 0, gap: false };

/** Whether the viewer must be sent a new picture now: it missed something and has parsed what it had. */
export const isReplayDue = (flow: ViewerFlow): boolean =>
  flow.phase === 'stale' && flow.unacked <= FLOW.low;

/** What becomes of a batch of output, and the viewer's next state. Pure. */
export function admitData(flow: ViewerFlow, bytes: number): { flow: ViewerFlow; act: FlowAct } {
  if (flow.phase === 'live')
    return { flow: hold({ ...flow, unacked: flow.unacked + bytes }), act: 'send' };
  if (flow.phase === 'stale') return { flow, act: 'drop' };
  const fits = !flow.gap && flow.queued + bytes <= STALE_BYTES;
  if (fits) return { flow: { ...flow, queued: flow.queued + bytes }, act: 'queue' };
  // A replaying viewer keeps what waits: the picture and the bytes right after it still fit together.
  if (flow.phase === 'replaying') return { flow: { ...flow, gap: true }, act: 'drop' };
  return { flow: { ...flow, phase: 'stale', queued: 0, gap: true }, act: 'drop' };
}

/** The next state of a viewer. Pure. */
export function stepFlow(flow: ViewerFlow, input: FlowInput): ViewerFlow {
  switch (input.type) {
    case 'acked':
      return onAck(flow, input.bytes);
    case 'sent':
      return onSent(flow, input.bytes);
    case 'replay_started':
      return attachedFlow;
    case 'replay_sent':
      return settle(flow);
    case 'outdated':
      return flow.phase === 'replaying'
        ? { ...flow, gap: true }
        : { ...flow, phase: 'stale', queued: 0, gap: true };
  }
}

function onAck(flow: ViewerFlow, bytes: number): ViewerFlow {
  if (flow.phase === 'replaying') return flow;
  const acked = { ...flow, unacked: Math.max(0, flow.unacked - bytes) };
  return acked.phase === 'blocked' && acked.unacked <= FLOW.low ? settle(acked) : acked;
}

/** After each batch sent from the queue: on, as long as there is room and something waits. */
function onSent(flow: ViewerFlow, bytes: number): ViewerFlow {
  const sent = hold({ ...flow, unacked: flow.unacked + bytes, queued: flow.queued - bytes });
  return sent.phase === 'live' ? settle(sent) : sent;
}

/** Too much under way: wait, or, when bytes are missing anyway, give up what waits. */
function hold(flow: ViewerFlow): ViewerFlow {
  if (flow.unacked <= FLOW.high) return flow;
  return flow.gap ? { ...flow, phase: 'stale', queued: 0 } : { ...flow, phase: 'blocked' };
}

/** There is room: live. But when bytes are missing and all that still fitted is sent, stale. */
const settle = (flow: ViewerFlow): ViewerFlow => ({
  ...flow,
  phase: flow.gap && flow.queued === 0 ? 'stale' : 'live',
});
