import { DEVELOPER, GUEST, MAINTAINER, OWNER, REPORTER } from '../../../../policy/levels.ts'
import type { Project } from '../../../projects/index.ts'
import { levelOf, type Members, type WorldWriter } from './world-writer.ts'

/** Higher than every access level. */
const ADMIN = 60

/**
 * The permissions of users in a project of the applied world. They depend on the members in the world, not on shares
 * with groups or protections, which worlds do not describe. The user who applies the world does what others may not.
 */
export class Permissions {
  readonly #writer: WorldWriter
  readonly #project: Project
  readonly #levels: ReadonlyMap<string, number>
  /** The access level that may merge into the default branch. */
  readonly #mergeLevel: number

  constructor(
    writer: WorldWriter,
    project: Project,
    members: readonly (Members | undefined)[],
    protection: number,
  ) {
    this.#writer = writer
    this.#project = project
    const levels = new Map<string, number>()
    for (const source of members)
      for (const [username, level] of Object.entries(source ?? {}))
        levels.set(username, Math.max(levels.get(username) ?? 0, levelOf(level)))
    this.#levels = levels
    this.#mergeLevel = protection === 2 || protection === 4 ? MAINTAINER : DEVELOPER
  }

  #level(id: number): number {
    const row = this.#writer.people.get(id)
    if (!row) return 0
    if (row.is_admin) return ADMIN
    if (id === this.#project.owner_id) return OWNER
    return this.#levels.get(row.username) ?? 0
  }

  #has(id: number | null, level: number): boolean {
    return id !== null && this.#level(id) >= level
  }

  /** Every signed-in user sees a project that is not private; external users only public ones. */
  #sees(id: number | null, feature: 'issues' | 'merge_requests' | 'repository', level: number): boolean {
    if (id === null || !this.#writer.people.has(id)) return false
    if (this.#has(id, level)) return true
    const { visibility } = this.#project
    if (visibility === 'private' || this.#project[`${feature}_access_level`] !== 'enabled') return false
    return visibility === 'public' || this.#writer.people.get(id)?.external === false
  }

  mayStar(id: number): boolean {
    return this.#has(id, GUEST) || this.#sees(id, 'repository', GUEST)
  }

  mayOpenIssue(id: number | null): boolean {
    return this.#sees(id, 'issues', GUEST)
  }

  mayComment(
    id: number | null,
    issue: { confidential: boolean; author_id: number },
    assignees: readonly number[],
  ) {
    if (!this.#sees(id, 'issues', GUEST)) return false
    return !issue.confidential || this.#has(id, REPORTER) || id === issue.author_id || assignees.includes(id!)
  }

  mayCloseIssue(id: number | null, author: number | null, assignees: readonly number[]): boolean {
    if (!this.#sees(id, 'issues', GUEST)) return false
    return this.#has(id, REPORTER) || id === author || assignees.includes(id!)
  }

  mayManageIssues(id: number | null): boolean {
    return this.#has(id, REPORTER)
  }

  mayReview(id: number | null): boolean {
    return this.#sees(id, 'merge_requests', REPORTER) && this.#sees(id, 'repository', REPORTER)
  }

  mayPush(id: number | null): boolean {
    return this.#has(id, DEVELOPER)
  }

  mayMerge(id: number | null, target: string): boolean {
    return this.#has(id, target === this.#project.default_branch ? this.#mergeLevel : DEVELOPER)
  }

  mayResolve(id: number | null, author: number): boolean {
    return this.#has(id, DEVELOPER) || (id === author && this.mayReview(id))
  }

  mayCreate(id: number | null): boolean {
    return this.#has(id, DEVELOPER)
  }
}
