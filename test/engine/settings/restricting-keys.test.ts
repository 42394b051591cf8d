import { expect, test } from 'vitest';
import { readSettings } from '../../../src/main/engine/settings/read';
import {
  isLimit,
  limitMeant,
  mayTighten,
  meansPermissions,
  PERMISSIONS,
  restrictionMeant,
  TOP,
} from '../../../src/main/engine/settings/restricting-keys';
import {
  FIELDS,
  type FieldRule,
  PERMISSION_FIELDS,
} from '../../../src/main/engine/settings/schema';
import { USED_ELSEWHERE } from '../../../src/main/engine/settings/used-elsewhere';

const RULES: Readonly<Record<string, FieldRule>> = { ...FIELDS, ...PERMISSION_FIELDS };

test('of the fields that are known, only those that take something away count as such', () => {
  const counted = [...TOP, ...PERMISSIONS, ...USED_ELSEWHERE].filter(
    (name) => limitMeant(name) !== null || restrictionMeant(name) !== null,
  );
  const limits = Object.keys(RULES).filter((name) => isLimit(RULES[name] ?? ({} as FieldRule)));
  expect(new Set(counted)).toEqual(new Set([...limits, 'ask', 'deny']));
  expect([...TOP].filter(meansPermissions)).toEqual(['permissions']);
  expect([...USED_ELSEWHERE].filter((name) => meansPermissions(name) || mayTighten(name))).toEqual(
    [],
  );
});

test.each([
  '{"enabledMcpjsonServers": ["github"]}',
  '{"enabledMcpJsonServers": ["github"]}',
  '{"enableMcpjsonServers": ["github"]}',
  '{"enableAutoMode": true}',
  '{"enableBypassPermissionsMode": "disable"}',
])('what lets something be done takes nothing away: %s', (text) => {
  expect(readSettings(text, 'userSettings', 's.json')).toMatchObject({
    fields: {},
    permissions: {},
    rules: [],
  });
});
