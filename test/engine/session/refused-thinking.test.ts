import { afterEach, expect, it } from 'vitest';
import { allItems } from '../../../src/shared/transcript';
import { error, reply, thinking, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

/** Returns what is told of thinking that was refused, in the order of the rows. */
const told = ({ session }: TestSession) =>
  allItems(session.log.transcript()).flatMap((item) =>
    item.kind === 'divider' && item.code === 'context_edited' ? [item.text] : [],
  );

it('thinking that the API refused once is never sent again, also not after a restart', async () => {
  open = await openTestSession((request, number) => {
    const sent = JSON.stringify(request.body.messages);
    if (/thought [01]"/.test(sent) && number > 1)
      return error(400, 'thinking block is bound to a different prefix');
    const call = number === 0 ? [toolUse('Read', { file_path: '/nowhere/x' })] : ['ok'];
    return reply([thinking(`thought ${number}`), ...call]);
  });
  await open.run('one');
  // The second request of the first query was sent with its thinking, and taken.
  expect(open.api.requests).toHaveLength(2);
  await open.run('two');
  expect(open.api.requests).toHaveLength(4);
  await open.run('three');
  expect(open.api.requests).toHaveLength(5);
  expect(JSON.stringify(open.api.requests[4]?.body.messages)).toContain('thought 3');
  expect(told(open)).toEqual(['The API did not take earlier thinking back: it is no longer sent']);
  await open.reopen();
  await open.run('four');
  expect(open.api.requests).toHaveLength(6);
  expect(told(open)).toHaveLength(1);
});

it('thinking stays when the request is refused without it too', async () => {
  let refuses = false;
  open = await openTestSession((_, number) =>
    refuses ? error(400, 'thinking must be enabled') : reply([thinking(`thought ${number}`), 'ok']),
  );
  await open.run('one');
  refuses = true;
  await open.run('two');
  expect(open.api.requests).toHaveLength(3);
  refuses = false;
  await open.run('three');
  expect(JSON.stringify(open.api.requests[3]?.body.messages)).toContain('thought 0');
  expect(told(open)).toEqual([]);
});
