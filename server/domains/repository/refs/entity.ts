import { z } from 'zod'
import type { Commit } from '../../../git/read/commits.ts'
import type { Tag as GitTag } from '../../../git/write/refs.ts'
import { entity, row } from '../../../http/entity.ts'
import { commitFields, commitView } from '../commits/entity.ts'
import type { TagRelease } from '../store.ts'

/** A tag with its commit. */
export interface TagRow {
  readonly tag: GitTag
  /** Null if the tag points to a tree or a blob. */
  readonly commit: Commit | null
  /** Full path of the project. */
  readonly path: string
  readonly protected: boolean
  /** Null without a release, and for actors who may not read releases. */
  readonly release: TagRelease | null
}

/** A tag (spec core 4.5). */
export const Tag = entity(
  'Tag',
  {
    name: z.string(),
    message: z.string(),
    target: z.string(),
    commit: z.object(commitFields).nullable(),
    release: z.object({ tag_name: z.string(), description: z.string().nullable() }).nullable(),
    protected: z.boolean(),
  },
  ({ tag, commit, path, protected: isProtected, release }: TagRow, at) => ({
    name: tag.name,
    message: tag.message ?? '',
    target: tag.target,
    commit: commit && commitView({ commit, path }, at),
    release,
    protected: isProtected,
  }),
)

/** A branch as the actor sees it. */
export interface BranchRow {
  readonly name: string
  readonly commit: Commit
  /** Full path of the project. */
  readonly path: string
  readonly merged: boolean
  readonly protected: boolean
  readonly default: boolean
  readonly developers_can_push: boolean
  readonly developers_can_merge: boolean
  readonly can_push: boolean
}

/** Escapes a ref name for an address, but keeps its slashes. */
export function refUrl(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/')
}

/** A branch (spec core 4.3). */
export const Branch = entity(
  'Branch',
  {
    name: z.string(),
    merged: z.boolean(),
    protected: z.boolean(),
    default: z.boolean(),
    developers_can_push: z.boolean(),
    developers_can_merge: z.boolean(),
    can_push: z.boolean(),
    web_url: z.string(),
    commit: z.object(commitFields),
  },
  row<BranchRow>(),
  (row, at) => ({
    web_url: `${at.url}/${row.path}/-/tree/${refUrl(row.name)}`,
    commit: commitView({ commit: row.commit, path: row.path }, at),
  }),
)

/** How many commits a branch is ahead of and behind the default branch, for the window's list of branches. */
export const BranchDivergence = entity(
  'BranchDivergence',
  { name: z.string(), ahead: z.int(), behind: z.int() },
  row<{ readonly name: string; readonly ahead: number; readonly behind: number }>(),
)
