import type { Target } from './client.ts'

/** One kind of write: how it is made, and how one that was acknowledged is found again. */
export interface Kind<T = unknown> {
  readonly name: string
  /** Makes one write; resolves with what is to be kept once it was acknowledged, otherwise with nothing. */
  write(at: Target, name: string): Promise<T | undefined>
  /** Whether it is still there, whole. */
  isKept(at: Target, kept: T): Promise<boolean>
  /** Completes a write that a kill cut off, where clients repeat it; resolves like `write`. */
  finish?(at: Target, name: string): Promise<T | undefined>
}

export const kind = <T>(
  name: string,
  write: (at: Target, name: string) => Promise<T | undefined>,
  isKept: (at: Target, kept: T) => Promise<boolean>,
  finish?: (at: Target, name: string) => Promise<T | undefined>,
): Kind => ({
  name,
  write,
  isKept: (at, kept) => isKept(at, kept as T),
  ...(finish ? { finish } : {}),
})

export const inProject = ({ project }: Target, path: string) => `/projects/${project}${path}`
