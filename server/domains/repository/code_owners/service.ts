import { setImmediate } from 'node:timers/promises'

import type { Ctx } from '../../../ctx.ts'
import { GitError } from '../../../git/errors.ts'
import { readBlob } from '../../../git/read/blob.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { findEntry } from '../../../git/read/tree.ts'
import type { Repo } from '../../../git/types.ts'
import { CODE_OWNER_FILES } from '../../../lib/aliases.ts'
import { isoDate } from '../../../lib/clock.ts'
import { notFound } from '../../../lib/fail.ts'
import { type Project, inRepository } from '../../projects/index.ts'
import { isMember } from '../protected_refs/entries.ts'
import { groupHasAccess } from '../store.ts'
import {
  type OwnerProblem,
  parseOwners,
  type OwnerEntry,
  type OwnerFile,
  type OwnerSection,
  matches,
} from './parse.ts'
import * as store from './store.ts'

const MAX_BYTES = 1024 * 1024

/**
 * Returns the CODEOWNERS file of a commit, from the first of the three possible paths that exists. Null if there is none.
 */
export async function readOwners(
  repo: Repo,
  commit: string,
): Promise<{ path: string; file: OwnerFile } | null> {
  for (const path of CODE_OWNER_FILES) {
    const entry = await findEntry(repo, commit, path)
    if (entry?.type !== 'blob') continue
    const file = await readOwnerFile(repo, entry.id)
    return file && { path, file }
  }
  return null
}

async function readOwnerFile(repo: Repo, id: string): Promise<OwnerFile | null> {
  const cached = repo.git.cache.get<OwnerFile>(repo, 'code-owners', id)
  if (cached !== undefined) return cached
  const blob = await readBlob(repo, id, { maxBytes: MAX_BYTES }).catch((error: unknown) => {
    // A file of this size was not written by hand, so it is ignored.
    if (error instanceof GitError && error.reason === 'output_limit') return null
    throw error
  })
  if (blob === null) return null
  const content = parseOwners(blob.content.toString('utf8'))
  return repo.git.cache.set(repo, 'code-owners', id, { content, bytes: 1000 + 6 * blob.size })
}

/** An entry that owns files, with its section. */
interface OwnedPaths {
  readonly section: OwnerSection
  readonly entry: OwnerEntry
  readonly paths: readonly string[]
}

/** The number of comparisons before other requests run. */
const COMPARISONS_PER_SLICE = 10_000

/**
 * Returns the entries that own some of the files, by section. In each section the last entry that matches a file
 * owns it.
 */
async function ownersOfPaths(file: OwnerFile, paths: readonly string[]): Promise<OwnedPaths[]> {
  const result: OwnedPaths[] = []
  const distinct = [...new Set(paths)]
  let comparisons = 0
  for (const section of file.sections) {
    const byEntry = new Map<OwnerEntry, string[]>()
    for (const path of distinct) {
      const entry = section.entries.findLast((candidate) => matches(candidate.pattern, path))
      if (entry && entry.owners.length > 0) byEntry.set(entry, [...(byEntry.get(entry) ?? []), path])
      comparisons += section.entries.length
      if (comparisons > COMPARISONS_PER_SLICE) {
        comparisons = 0
        await setImmediate()
      }
    }
    for (const [entry, owned] of byEntry) result.push({ section, entry, paths: owned })
  }
  return result
}

/** Returns the patterns, as written, of the entries that own some of the files. */
export async function matchingPatterns(file: OwnerFile, paths: readonly string[]): Promise<string[]> {
  const owned = await ownersOfPaths(file, paths)
  return [...new Set(owned.map(({ entry }) => entry.text))]
}

/** The owners who have to approve a change of files (spec administration 12.4), for one pattern of one section. */
export interface CodeOwnerRule {
  readonly section: string
  /** The pattern as written; it is also the name of the rule. */
  readonly pattern: string
  /** 0 if the section is optional. */
  readonly approvals_required: number
  readonly paths: readonly string[]
  /** The users who own the files by name or email address; only those with access to the project. */
  readonly user_ids: readonly number[]
  /** The groups that own the files; only those with access to the project. */
  readonly group_ids: readonly number[]
  /** Everyone who may approve: the users, and the direct members of the groups. */
  readonly eligible_ids: readonly number[]
}

/** Returns the owners of files according to the CODEOWNERS file at a ref. Empty without such a file or ref. */
export function codeOwnersOf(
  ctx: Ctx,
  project: Project,
  ref: string,
  paths: readonly string[],
): Promise<CodeOwnerRule[]> {
  return inRepository(ctx, project, async (repo) => {
    const commit = await resolveCommit(repo, ref)
    const ownersFile = commit === null ? null : await readOwners(repo, commit)
    if (!ownersFile) return []
    const owned = await ownersOfPaths(ownersFile.file, paths)
    const peopleOf = resolveOwners(
      ctx,
      project,
      owned.flatMap(({ entry }) => entry.owners),
    )
    return owned.map(({ section, entry, paths: files }) => {
      const people = entry.owners.map((owner) => peopleOf(owner))
      return {
        section: section.name,
        pattern: entry.text,
        approvals_required: section.approvals,
        paths: files,
        user_ids: distinct(people.flatMap((person) => person.users)),
        group_ids: distinct(people.flatMap((person) => person.groups)),
        eligible_ids: distinct(people.flatMap((person) => [...person.users, ...person.members])),
      }
    })
  })
}

interface ResolvedOwner {
  readonly users: readonly number[]
  readonly groups: readonly number[]
  readonly members: readonly number[]
}

function distinct(ids: readonly number[]): number[] {
  return [...new Set(ids)]
}

/** Loads all owners together. The returned function converts one owner to its users and groups. */
function resolveOwners(
  ctx: Ctx,
  project: Project,
  owners: readonly string[],
): (owner: string) => ResolvedOwner {
  const names = owners.filter((owner) => owner.startsWith('@')).map((owner) => owner.slice(1).toLowerCase())
  const emails = owners.filter((owner) => !owner.startsWith('@')).map((owner) => owner.toLowerCase())
  const users = store.usersByName(ctx.db, names, emails).filter((user) => isMember(ctx, project, user.id))
  const today = isoDate(ctx.now)
  const groups = store
    .groupsByPath(ctx.db, names)
    .filter((group) => groupHasAccess(ctx.db, project, group.id, today))
  const members = store.membersOf(
    ctx.db,
    groups.map((group) => group.id),
    today,
  )
  return (owner) => {
    const name = owner.replace(/^@/, '').toLowerCase()
    const isName = owner.startsWith('@')
    const matching = users.filter((user) => (isName ? user.username : user.email).toLowerCase() === name)
    const matchingGroups = isName ? groups.filter((group) => group.full_path.toLowerCase() === name) : []
    const ids = new Set(matchingGroups.map((group) => group.id))
    return {
      users: matching.map((user) => user.id),
      groups: [...ids],
      members: members.filter((member) => ids.has(member.namespace_id)).map((member) => member.user_id),
    }
  }
}

/**
 * Returns the errors of the CODEOWNERS file at a ref; `path` is null if there is no file. Throws 404 for an unknown
 * ref.
 */
export function checkOwners(
  ctx: Ctx,
  project: Project,
  ref: string,
): Promise<{ path: string | null; problems: readonly OwnerProblem[] }> {
  return inRepository(ctx, project, async (repo) => {
    const commit = await resolveCommit(repo, ref)
    if (commit === null) throw notFound('Commit')
    const ownersFile = await readOwners(repo, commit)
    return { path: ownersFile?.path ?? null, problems: ownersFile?.file.problems ?? [] }
  })
}
