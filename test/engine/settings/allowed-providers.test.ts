import { expect, test } from 'vitest';
import {
  providerRefusal,
  type WayToModels,
} from '../../../src/main/engine/settings/allowed-providers';

const allowed = (...names: string[]) => ({
  file: '/etc/managed.json',
  names,
  addresses: ['https://gateway.example'],
});

test.each<[WayToModels, readonly string[], boolean]>([
  [{ kind: 'anthropic' }, ['anthropic'], true],
  [{ kind: 'anthropic', baseUrl: 'https://api.anthropic.com/' }, ['anthropic'], true],
  [{ kind: 'anthropic', baseUrl: 'https://api.anthropic.com.evil.example' }, ['anthropic'], false],
  [{ kind: 'anthropic', baseUrl: 'https://gateway.example' }, ['anthropic'], false],
  [{ kind: 'anthropic', baseUrl: 'https://gateway.example' }, ['customEndpoint'], true],
  [{ kind: 'anthropic', baseUrl: 'https://other.example' }, ['customEndpoint'], false],
  [{ kind: 'bedrock' }, ['bedrock'], true],
  [{ kind: 'bedrock' }, ['anthropic', 'vertex'], false],
  [{ kind: 'bedrock', baseUrl: 'https://other.example' }, ['bedrock'], false],
  [{ kind: 'anthropic' }, [], false],
])('%j under %j: %s', (way, names, may) => {
  expect(providerRefusal(allowed(...names), way) === null).toBe(may);
  expect(providerRefusal(undefined, way)).toBeNull();
});
