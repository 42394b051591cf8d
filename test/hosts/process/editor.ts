import { type Readable, Writable } from 'node:stream';
import {
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  type PermissionOption,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { Run } from './lathe';

/** Answers a question with one of its options; null while nobody answers. */
export type Choose = (
  options: readonly PermissionOption[],
  asked: RequestPermissionRequest,
) => string | null;

/** The helper that starts Lathe reads its output as text. */
function bytesOf(text: Readable): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let wanted = true;
  return new ReadableStream({
    start(controller) {
      text.on('data', (piece: string) => wanted && controller.enqueue(encoder.encode(piece)));
      text.on('end', () => wanted && controller.close());
    },
    cancel() {
      wanted = false;
    },
  });
}

/** Connects an editor, which is the official client, to an agent over its pipes. It keeps what it is told and asked. */
export function connectEditor(run: Pick<Run, 'child'>, choose: Choose) {
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const connection = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
    })
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
      asked.push(params);
      const optionId = choose(params.options, params);
      if (optionId !== null) return { outcome: { outcome: 'selected', optionId } };
      // Nobody answers until the question is taken back.
      return new Promise((resolve) => {
        const withdraw = () => resolve({ outcome: { outcome: 'cancelled' } });
        if (signal.aborted) withdraw();
        signal.addEventListener('abort', withdraw);
      });
    })
    .connect(ndJsonStream(Writable.toWeb(run.child.stdin), bytesOf(run.child.stdout)));
  const agent: ClientContext = connection.agent;
  return { connection, agent, updates, asked };
}

export const kinds = (updates: readonly SessionUpdate[]) => updates.map((one) => one.sessionUpdate);
export const textIn = (updates: readonly SessionUpdate[], kind: SessionUpdate['sessionUpdate']) =>
  updates
    .map((one) =>
      one.sessionUpdate === kind && 'content' in one && one.content && 'text' in one.content
        ? one.content.text
        : '',
    )
    .join('');
export const firstOf = (kind: PermissionOption['kind']) => (options: readonly PermissionOption[]) =>
  options.find((option) => option.kind === kind)?.optionId ?? null;
