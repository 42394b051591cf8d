/** Makes the app take this system for another one until the function it returns is called. */
export function onPlatform(value: NodeJS.Platform): () => void {
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value });
  return () => Object.defineProperty(process, 'platform', { value: platform });
}
