import { MentionKind } from '../../shared/project-file';
import type { Lathe } from './lathe';

/** Puts what prompts of a session can mention into the store, each kind as soon as it is there. */
export async function loadMentions(
  { ask, store }: Pick<Lathe, 'ask' | 'store'>,
  sessionId: string,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    MentionKind.options.map(async (kind) => {
      const listed = await ask((client) => client.session.mentions({ sessionId, kind }));
      if (signal.aborted) return;
      const found = listed.ok ? listed.value : [];
      store.setState(({ mentions }) => ({ mentions: { ...mentions, [kind]: found } }));
    }),
  );
}
