import { SandboxRuntimeConfigSchema } from '@anthropic-ai/sandbox-runtime';
import { expect, it } from 'vitest';
import { runtimeConfig } from '../../src/main/sandbox/runtime-config';
import { policyFor } from '../support/sandbox';

const TOOLS = {
  ripgrep: { command: '/usr/bin/rg', args: ['--no-config'] },
  bwrap: '/usr/bin/bwrap',
  socat: '/usr/bin/socat',
};

it('gives the library a configuration that it takes, with what is for macOS alone', () => {
  const policy = policyFor(['/nowhere/project'], {
    ...{ weakerNetwork: true, nestedNamespaces: true, appleEvents: true, strictAllowlist: true },
    ...{ allowUnixSockets: ['/run/x.sock'], allowMachLookup: ['com.example.*'] },
    ...{ withheldVariables: ['NPM_TOKEN'], proxyPorts: { http: 8080, socks: 1080 } },
  });
  const config = runtimeConfig(policy, TOOLS, '/tmp/t', null);
  expect(SandboxRuntimeConfigSchema.safeParse(config).error).toBeUndefined();
  expect(config).toMatchObject({
    ...{ enableWeakerNetworkIsolation: true, allowNestedUserNamespaces: true },
    allowAppleEvents: true,
    network: {
      ...{ strictAllowlist: true, allowUnixSockets: ['/run/x.sock'] },
      ...{ allowMachLookup: ['com.example.*'], httpProxyPort: 8080, socksProxyPort: 1080 },
    },
    ripgrep: { command: '/usr/bin/rg', args: ['--no-config'] },
    credentials: { envVars: [{ name: 'NPM_TOKEN', mode: 'deny' }] },
  });
  expect(config.network).not.toHaveProperty('tlsTerminate');
  const plain = runtimeConfig(policyFor(['/nowhere/project']), TOOLS, '/tmp/t', null);
  expect(plain).toMatchObject({
    ...{ enableWeakerNetworkIsolation: false, allowNestedUserNamespaces: false },
    allowAppleEvents: false,
    ...{ network: { strictAllowlist: false }, credentials: { envVars: [] } },
  });
});
