import { expect, test } from 'vitest';
import { createScreenStore, phaseOf, type Screen } from '../../../src/renderer/store/screen';
import { fakeScenario } from '../../support/fake-host/scenario';

const scenario = fakeScenario('busy', 1_000_000);
const trusted = scenario.app.projects[0];
if (!trusted) throw new Error('the scenario has a project');
const none = { ...scenario.app, connection: { kind: 'none' } } as const;
const fault = { code: 'x', message: 'no' };

const started: Screen = {
  ...createScreenStore().getState(),
  ...{ link: { kind: 'connected' }, info: scenario.info, app: scenario.app, restoring: false },
};
const untrusted = { ...trusted, trusted: false };
const withUntrusted = { ...scenario.app, projects: [untrusted] };

test.each<[string, Partial<Screen>, string]>([
  ['nothing heard yet', { app: null }, 'starting'],
  ['turned away', { link: { kind: 'refused', fault } }, 'refused'],
  [
    'a host that asks the login shell',
    {
      app: null,
      link: { kind: 'connecting', waiting: { cause: 'login-shell', skip: () => {} } },
    },
    'waiting',
  ],
  ['on the way back to where it was', { restoring: true }, 'starting'],
  ['no project', {}, 'folder'],
  ['a folder not trusted yet', { opened: untrusted, app: withUntrusted }, 'trust'],
  [
    'opened without trust',
    { opened: untrusted, app: withUntrusted, untrusted: [untrusted.path] },
    'workbench',
  ],
  ['trusted, no connection', { opened: trusted, app: none }, 'connect'],
  ['trusted and connected', { opened: trusted }, 'workbench'],
  ['on the way to the demo', { opened: trusted, wantsDemo: true }, 'connect'],
  [
    'a lost line keeps the workbench',
    { opened: trusted, link: { kind: 'connecting' } },
    'workbench',
  ],
])('%s: %s', (_name, over, kind) => expect(phaseOf({ ...started, ...over }).kind).toBe(kind));

test('a start that takes long says why', () => {
  const screen: Screen = { ...started, app: null, link: { kind: 'lost', attempt: 2, fault } };
  expect(phaseOf(screen)).toEqual({ kind: 'starting', trouble: fault });
});

test("the feed's word on trust counts more than the one from opening", () => {
  const screen: Screen = { ...started, opened: untrusted };
  expect(phaseOf(screen).kind).toBe('workbench');
});
