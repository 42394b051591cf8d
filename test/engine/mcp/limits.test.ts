import { expect, it } from 'vitest';
import { limitsOf } from '../../../src/main/engine/mcp/connection';

const NEVER = 2 ** 31 - 1;

it.each([
  [undefined, {}, { startMs: 30_000, callMs: NEVER }],
  [5_000, { MCP_TOOL_TIMEOUT: '9000' }, { startMs: 30_000, callMs: 5_000 }],
  [
    undefined,
    { MCP_TIMEOUT: '60000', MCP_TOOL_TIMEOUT: ' 9000 ' },
    { startMs: 60_000, callMs: 9_000 },
  ],
  [undefined, { MCP_TIMEOUT: '9999999999' }, { startMs: NEVER, callMs: NEVER }],
  [undefined, { MCP_TIMEOUT: '30s', MCP_TOOL_TIMEOUT: '0' }, { startMs: 30_000, callMs: NEVER }],
  [undefined, { MCP_TIMEOUT: '', MCP_TOOL_TIMEOUT: '-1' }, { startMs: 30_000, callMs: NEVER }],
])('a server with timeout %s in %j has %j', (timeout, env, limits) =>
  expect(limitsOf(timeout, env)).toEqual(limits),
);
