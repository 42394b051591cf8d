import { expect, test } from 'vitest';
import { connectionDetails } from '../../../src/renderer/settings/SettingsDialog';
import type { Connection } from '../../../src/shared/settings';

const counts = 'It counts in every project until a key is entered here.';

test.each<[Connection, string]>([
  [{ kind: 'none' }, 'Lathe asks for a key before it can work.'],
  [{ kind: 'apiKey', from: 'stored key' }, 'From stored key.'],
  [
    { kind: 'apiKey', from: 'ANTHROPIC_API_KEY' },
    `From ANTHROPIC_API_KEY in the environment Lathe was started in. ${counts}`,
  ],
  [
    { kind: 'authToken', from: 'ANTHROPIC_AUTH_TOKEN', baseUrl: 'https://gate.example' },
    `From ANTHROPIC_AUTH_TOKEN in the environment Lathe was started in. ${counts} Endpoint https://gate.example.`,
  ],
  [{ kind: 'authToken', from: 'Amazon Bedrock' }, 'From Amazon Bedrock.'],
])('%j is told as “%s”', (connection, text) => {
  expect(connectionDetails(connection)).toBe(text);
});
