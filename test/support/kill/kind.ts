import type { Target } from './client.ts'

/** One kind of write: how to make it, and how to find an acknowledged one. */
export interface Kind<T = unknown> {
  readonly name: string
  /** Makes one write; resolves with the data to find it after it was acknowledged, otherwise with undefined. */
  write(at: Target, name: string): Promise<T | undefined>
  /** Whether the write is still there and complete. */
  isKept(at: Target, value: T): Promise<boolean>
  /** Completes an interrupted write, if clients repeat it; resolves like `write`. */
  finish?(at: Target, name: string): Promise<T | undefined>
}

export const kind = <T>(
  name: string,
  write: (at: Target, name: string) => Promise<T | undefined>,
  isKept: (at: Target, value: T) => Promise<boolean>,
  finish?: (at: Target, name: string) => Promise<T | undefined>,
): Kind => ({
  name,
  write,
  isKept: (at, value) => isKept(at, value as T),
  ...(finish ? { finish } : {}),
})

export const inProject = ({ project }: Target, path: string) => `/projects/${project}${path}`
