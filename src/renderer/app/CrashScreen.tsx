import { Component, type ReactNode } from 'react';
import { Button } from '../ui/Button';

/** Stands in for a screen that could not be drawn: what happened, what was kept, what to do. Never a blank page. */
export class CrashScreen extends Component<
  { readonly children: ReactNode },
  { readonly message: string | null }
> {
  override state = { message: null };

  static getDerivedStateFromError(thrown: unknown) {
    return { message: thrown instanceof Error ? thrown.message : String(thrown) };
  }

  override render() {
    const { message } = this.state;
    if (message === null) return this.props.children;
    return (
      <main
        role="alert"
        className="flex h-full flex-col items-center justify-center gap-3 bg-canvas px-6 text-center"
      >
        <h1 className="text-display font-semibold tracking-tight">This window hit a problem</h1>
        <p className="max-w-[48ch] text-body text-ink-2">
          Sessions, tasks and terminals go on without it, and drafts are kept. Reload the window to
          come back to where you were.
        </p>
        <p className="max-w-[64ch] font-mono text-meta text-ink-3 [overflow-wrap:anywhere]">
          {message}
        </p>
        <Button variant="primary" size="lg" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </main>
    );
  }
}
