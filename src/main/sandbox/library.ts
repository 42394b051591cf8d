/** Loads the sandbox library with the parts that its index leaves out. All are ES modules, and the build is CommonJS. */
export async function loadLibrary() {
  const [{ SandboxManager }, authority, pairs, variables, files, sentinels] = await Promise.all([
    import('@anthropic-ai/sandbox-runtime'),
    import('@anthropic-ai/sandbox-runtime/dist/sandbox/mitm-ca.js'),
    import('@anthropic-ai/sandbox-runtime/dist/sandbox/credential-aws-pairs.js'),
    import('@anthropic-ai/sandbox-runtime/dist/sandbox/credential-mask-env.js'),
    import('@anthropic-ai/sandbox-runtime/dist/sandbox/credential-mask-files.js'),
    import('@anthropic-ai/sandbox-runtime/dist/sandbox/credential-sentinel.js'),
  ]);
  return {
    manager: SandboxManager,
    generateCa: authority.generateCa,
    registerAwsPairs: pairs.registerAwsPairs,
    buildMaskedEnvVars: variables.buildMaskedEnvVars,
    buildMaskedFileBinds: files.buildMaskedFileBinds,
    SentinelRegistry: sentinels.SentinelRegistry,
  };
}

export type Library = Awaited<ReturnType<typeof loadLibrary>>;
