/** What the helper is asked: to start a program, or to send a signal to one it started. */
export type Request =
  | {
      /** Where programs are connected to, and what their connections begin with. Comes first. */
      readonly path: string
      readonly secret: string
    }
  | {
      readonly run: number
      readonly file: string
      readonly args: readonly string[]
      readonly cwd: string
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly kill: number; readonly signal: NodeJS.Signals }

/** What it tells: that it listens, that a program runs or could not be started, and how one ended. */
export type Report =
  | { readonly ready: true }
  | { readonly started: number; readonly pid: number }
  | { readonly failed: number; readonly message: string }
  | { readonly exited: number; readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** A connection begins with the secret, the number of the program and of its descriptor, in so many characters. */
export const SECRET_LENGTH = 32
export const GREETING_LENGTH = SECRET_LENGTH + 9 + 1

export function greeting(secret: string, run: number, descriptor: number): string {
  return `${secret}${String(run).padStart(9, '0')}${descriptor}`
}
