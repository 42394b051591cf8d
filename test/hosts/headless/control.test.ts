import { expect, it } from 'vitest';
import { createControls } from '../../../src/main/hosts/headless/control';
import { IDLE_SESSION } from '../../support/headless-session';

it.each([
  [{ subtype: 'mcp_reconnect', serverName: 'a' }, true, 'reconnect a'],
  [{ subtype: 'mcp_toggle', serverName: 'a', enabled: false }, true, 'enable a false'],
  [{ subtype: 'mcp_toggle', serverName: 'a', enabled: true }, true, 'enable a true'],
  [{ subtype: 'mcp_toggle', serverName: 'a' }, false, '"enabled" must be true or false.'],
  [{ subtype: 'mcp_reconnect' }, false, '"serverName" must be the name of a server.'],
  [{ subtype: 'mcp_reconnect', serverName: 'b' }, false, 'There is no tool server "b".'],
])(
  'a program can have servers connected anew and switched off: %j',
  async (request, fine, told) => {
    const done: string[] = [];
    const session = {
      ...IDLE_SESSION,
      reconnectServer: (name: string) => name === 'a' && done.push(`reconnect ${name}`) > 0,
      enableServer: (name: string, on: boolean) => done.push(`enable ${name} ${on}`) > 0,
    };
    const answer = await createControls(session, '0', () => {})(request);
    expect(answer.ok).toBe(fine);
    expect(answer.ok ? done[0] : answer.error.message).toBe(told);
  },
);
