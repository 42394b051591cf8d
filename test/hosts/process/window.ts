import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import type { ContractRouterClient } from '@orpc/contract';
import { WebSocket } from 'ws';
import type { contract } from '../../../src/shared/contract';
import type { Approval } from '../../../src/shared/permission';
import type { Run } from './lathe';

/** A window on a served Lathe, without a page. */
export interface Window {
  readonly client: ContractRouterClient<typeof contract>;
  /** Sends a prompt, says no to everything that is asked, and gives what was asked when the query is over. */
  deny(sessionId: string, prompt: string): Promise<string>;
  /** Sends a prompt and allows what is asked, after `meanwhile`. Returns the results of its calls when the query is over. */
  allow(
    sessionId: string,
    prompt: string,
    meanwhile: (asked: Approval) => Promise<void>,
  ): Promise<string>;
  close(): void;
}

/** The part of a served Lathe that tells its link. */
interface Serving {
  readonly child: { readonly stdout: Run['child']['stdout'] };
  readonly printed: Run['printed'];
}

/** Goes through the link a served Lathe prints, as a browser does. */
export async function openWindow(run: Serving): Promise<Window> {
  let text = '';
  run.child.stdout.on('data', (chunk: string) => {
    text += chunk;
  });
  await run.printed('works once');
  const link = new URL(/http:\/\/127\.0\.0\.1:\d+\/#ticket=[\w-]+/.exec(text)?.[0] ?? '');
  const admitted = await fetch(new URL('/session', link), {
    method: 'POST',
    headers: { origin: link.origin, 'content-type': 'application/json' },
    body: JSON.stringify({ ticket: new URLSearchParams(link.hash.slice(1)).get('ticket') }),
  });
  const cookie = admitted.headers.get('set-cookie')?.split(';')[0] ?? '';
  const socket = new WebSocket(`ws://${link.host}/rpc`, {
    origin: link.origin,
    headers: { cookie },
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  // `ws` is a browser's WebSocket in all but its types.
  const websocket = socket as unknown as globalThis.WebSocket;
  const client: Window['client'] = createORPCClient(new RPCLink({ websocket }));

  return {
    client,
    async deny(sessionId, prompt) {
      const feed = await client.session.watch({ sessionId });
      await client.session.submit({ sessionId, text: prompt });
      let asked = '';
      for await (const told of feed) {
        if (told.type !== 'event') continue;
        const { event } = told.stamped;
        if (event.type === 'query_finished') break;
        if (event.type !== 'approval_requested') continue;
        const { id, digest, subject } = event.approval;
        asked += `${JSON.stringify(subject)}\n`;
        const answer = { behavior: 'deny', message: 'no', digest } as const;
        await client.session.answer({ sessionId, approvalId: id, answer });
      }
      return asked;
    },
    async allow(sessionId, prompt, meanwhile) {
      const feed = await client.session.watch({ sessionId });
      await client.session.submit({ sessionId, text: prompt });
      let results = '';
      for await (const told of feed) {
        if (told.type !== 'event') continue;
        const { event } = told.stamped;
        if (event.type === 'query_finished') break;
        if (event.type === 'call_settled') results += `${JSON.stringify(event)}\n`;
        if (event.type !== 'approval_requested') continue;
        const { id, digest } = event.approval;
        await meanwhile(event.approval);
        const answer = { behavior: 'allow', digest } as const;
        await client.session.answer({ sessionId, approvalId: id, answer });
      }
      return results;
    },
    close: () => socket.close(),
  };
}
