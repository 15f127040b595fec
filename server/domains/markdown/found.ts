import type { Project } from '../projects/index.ts'
import type { Wanted } from './wanted.ts'

/** Something that was asked for and that the reader may see. */
export interface Found {
  /** Address below the instance, without a slash in front. */
  readonly page: string
  readonly title: string
  /** What is shown in the project that it belongs to. */
  readonly short: string
  /** Class of the link, when it is not the kind. */
  readonly kind?: string
  /** Of a label. */
  readonly color?: string
}

/** Things by `keyOf`. */
export type FoundMap = Map<string, Found>

/** What is asked for in one project that the reader may see. */
export interface Asked {
  readonly project: Project
  readonly wanted: readonly Wanted[]
}

/** Names a thing in a project; names of people are the same everywhere. */
export function keyOf(projectId: number | undefined, { kind, name, quoted }: Wanted): string {
  return `${kind === 'user' ? '' : projectId}:${kind}:${quoted ? '"' : ''}${name}`
}
