/**
 * Variables that hold keys (docs/security.md 13): of Anthropic and the clouds Lathe can use, of other model providers, and
 * everything of Lathe's own. Keys that tools of the user's own need (`GITHUB_TOKEN`, `NPM_TOKEN`) stay.
 */
const SECRETS: readonly RegExp[] = [
  /^LATHE_/,
  /^ANTHROPIC_.*(KEY|TOKEN|SECRET|CUSTOM_HEADERS)/,
  /^CLAUDE_CODE_(OAUTH_TOKEN|CLIENT_KEY|CLIENT_KEY_PASSPHRASE)$/,
  /^OTEL_EXPORTER_OTLP_(\w+_)?HEADERS$/,
  /^AWS_(SECRET_ACCESS_KEY|SESSION_TOKEN|SECURITY_TOKEN|BEARER_TOKEN_BEDROCK)$/,
  /^(AZURE_OPENAI|OPENAI|OPENROUTER|GEMINI|GOOGLE|GOOGLE_GENAI|MISTRAL|GROQ|DEEPSEEK|XAI|COHERE|TOGETHER|FIREWORKS|PERPLEXITY|CEREBRAS|HUGGINGFACE|HF|REPLICATE|VOYAGE|MOONSHOT|DASHSCOPE|ZAI)_(API_KEY|API_TOKEN|TOKEN)$/,
];

/** Tells whether a variable holds a key, so that nothing Lathe starts is given it. */
export const isSecret = (name: string): boolean => SECRETS.some((secret) => secret.test(name));
