import { expect, it } from 'vitest';
import type { Ask } from '../../../src/renderer/store/ask';
import { loadMentions } from '../../../src/renderer/store/mentions';
import { createScreenStore } from '../../../src/renderer/store/screen';
import type { MentionKind } from '../../../src/shared/project-file';
import { err, fault, ok } from '../../../src/shared/result';

const AGENT = { path: 'agent:reviewer', detail: 'Looks at changes' };

/** A host that answers for agents at once, and for resources when it is told to. */
function host(resources: Promise<unknown>) {
  const client = {
    session: {
      mentions: async ({ kind }: { readonly kind: MentionKind }) =>
        kind === 'agents' ? ok([AGENT]) : resources,
    },
  };
  return ((call: (given: unknown) => unknown) => call(client)) as unknown as Ask;
}

it('offers agents before the servers have answered, and nothing once it is over', async () => {
  const store = createScreenStore();
  const answer = Promise.withResolvers<unknown>();
  const over = new AbortController();
  const loading = loadMentions({ ask: host(answer.promise), store }, 's', over.signal);
  await expect.poll(() => store.getState().mentions.agents).toEqual([AGENT]);
  over.abort();
  answer.resolve(ok([{ path: 'docs:memo://a', detail: 'a' }]));
  await loading;
  expect(store.getState().mentions.resources).toEqual([]);
});

it('offers none of a kind that cannot be had', async () => {
  const store = createScreenStore();
  store.setState({ mentions: { agents: [], resources: [AGENT] } });
  const gone = Promise.resolve(err(fault('gone', 'Gone.')));
  await loadMentions({ ask: host(gone), store }, 's', new AbortController().signal);
  expect(store.getState().mentions).toEqual({ agents: [AGENT], resources: [] });
});
