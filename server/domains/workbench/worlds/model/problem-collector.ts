import type { Positions, Problem } from './document.ts'
import { nearest, pathText } from './problems.ts'
import type { World } from './schema.ts'

/** Looks up objects that already exist on the instance. */
export interface ExistingObjects {
  user(username: string): boolean
  group(path: string): boolean
  project(path: string): boolean
  /** True if the folder of a project was read, or is not needed. */
  hasFolder(path: string): boolean
  /** Returns the problem with one part of a path. The first part is at the top level. */
  pathProblem(part: string, isFirst: boolean): string | undefined
  /** Titles of the labels and milestones that a project or its groups have. */
  labels(path: string): ReadonlySet<string>
  milestones(path: string): ReadonlySet<string>
  /** The title of an issue or merge request that a project has. */
  titleOf(path: string, kind: 'issues' | 'merge_requests', iid: number): string | undefined
}

export type Path = readonly PropertyKey[]

/** Collects the problems of a world, and checks its names of users. */
export class ProblemCollector {
  readonly problems: Problem[] = []
  readonly world: World
  readonly existing: ExistingObjects
  readonly positions: Positions
  readonly users: ReadonlySet<string>
  readonly groups: ReadonlyMap<string, NonNullable<World['groups']>[number]>

  constructor(world: World, existing: ExistingObjects, positions: Positions) {
    this.world = world
    this.existing = existing
    this.positions = positions
    this.users = new Set(world.users?.map(({ username }) => username))
    this.groups = new Map(world.groups?.map((group) => [group.path, group]))
  }

  addProblem(path: Path, message: string, part: 'key' | 'value' = 'value'): void {
    if (this.problems.length >= 200) return
    const at = this.positions.find(this.world, path, part)
    this.problems.push({ ...at, path: pathText(path), message })
  }

  checkUnique(names: readonly string[], path: Path, key: string, noun: string): void {
    const earlierNames = new Set<string>()
    for (const [index, name] of names.entries()) {
      if (earlierNames.has(name.toLowerCase()))
        this.addProblem([...path, index, key], `There are two ${noun}s "${name}".`)
      earlierNames.add(name.toLowerCase())
    }
  }

  checkUser(username: string | undefined, path: Path, part: 'key' | 'value' = 'value'): void {
    if (username === undefined || this.users.has(username) || this.existing.user(username)) return
    const suggestion = nearest(username, [...this.users])
    const hint = suggestion ? `Did you mean "${suggestion}"?` : 'Add it to users.'
    this.addProblem(path, `There is no user "${username}", in this world or on the instance. ${hint}`, part)
  }

  checkUsers(list: readonly string[] | undefined, path: Path): void {
    for (const [index, username] of (list ?? []).entries()) this.checkUser(username, [...path, index])
  }

  /** The groups of this world that contain the project or group with a full path. */
  groupsAbove(fullPath: string) {
    const parts = fullPath.split('/').slice(0, -1)
    return parts.flatMap((_, index) => this.groups.get(parts.slice(0, index + 1).join('/')) ?? [])
  }
}
