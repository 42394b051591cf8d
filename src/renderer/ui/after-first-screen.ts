/** The first screen stands by then; what it does not need is loaded after it, before somebody asks for it. */
const FIRST_SCREEN_MS = 1000;

/** Runs `act` when the first screen stands and the page has nothing else to do. Gives a function that takes that back. */
export function afterFirstScreen(act: () => void): () => void {
  const timer = window.setTimeout(() => {
    // Safari has no such call.
    if ('requestIdleCallback' in window) window.requestIdleCallback(act);
    else act();
  }, FIRST_SCREEN_MS);
  return () => window.clearTimeout(timer);
}
