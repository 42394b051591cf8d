import { afterEach, expect, test } from 'vitest';
import { createSessionRuntime } from '../../../src/main/engine/session/session-runtime';
import { ok } from '../../../src/shared/result';
import { hold, reply, text } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

test('a session can rest when nothing runs or waits in it, nobody looks on, and its log has it all', async () => {
  const gate = Promise.withResolvers<void>();
  open = await openTestSession([reply([text('One'), hold(gate.promise), text(' two.')])]);
  const { session } = open;
  const runtime = createSessionRuntime({ session, prepare: async () => ok(null) });
  // Nothing was said: there is nothing on the disk to open again.
  expect(runtime.isIdle()).toBe(false);

  await runtime.submit('count', undefined);
  expect(runtime.isIdle()).toBe(false);
  gate.resolve();
  await expect.poll(() => runtime.isIdle()).toBe(true);

  const looking = new AbortController();
  const feed = session.log.subscribe(undefined, looking.signal);
  await feed.next();
  expect(session.log.load()).toMatchObject({ watchers: 1, behind: 0 });
  expect(runtime.isIdle()).toBe(false);
  session.main.state.record({ type: 'title_changed', title: 'Counted' });
  expect(session.log.load()).toMatchObject({ watchers: 1, behind: 1 });
  await feed.return(undefined);
  await session.log.flush();
  expect(session.log.load()).toEqual({ unwritten: 0, watchers: 0, behind: 0 });
  expect(runtime.isIdle()).toBe(true);

  session.permissions.addRule({ behavior: 'allow', text: 'Bash(ls)' });
  expect(runtime.isIdle()).toBe(false);
});
