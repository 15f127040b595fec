import type { Positions, Problem } from './document.ts'
import { nearest, pathText } from './problems.ts'
import type { World } from './schema.ts'

/** The users and groups that the instance already has. */
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
}

export type Path = readonly PropertyKey[]

/** Collects problems, and looks up the people and groups of a world. */
export class Finder {
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

  add(path: Path, message: string, part: 'key' | 'value' = 'value'): void {
    if (this.problems.length >= 200) return
    const at = this.positions.find(this.world, path, part)
    this.problems.push({ ...at, path: pathText(path), message })
  }

  unique(names: readonly string[], path: Path, key: string, noun: string): void {
    const seen = new Set<string>()
    for (const [index, name] of names.entries()) {
      if (seen.has(name.toLowerCase())) this.add([...path, index, key], `There are two ${noun}s "${name}".`)
      seen.add(name.toLowerCase())
    }
  }

  user(username: string | undefined, path: Path, part: 'key' | 'value' = 'value'): void {
    if (username === undefined || this.users.has(username) || this.existing.user(username)) return
    const near = nearest(username, [...this.users])
    const hint = near ? `Did you mean "${near}"?` : 'Add it to users.'
    this.add(path, `There is no user "${username}", in this world or on the instance. ${hint}`, part)
  }

  people(list: readonly string[] | undefined, path: Path): void {
    for (const [index, username] of (list ?? []).entries()) this.user(username, [...path, index])
  }

  /** The groups above a project, in this world. */
  above(full: string) {
    const parts = full.split('/').slice(0, -1)
    return parts.flatMap((_, index) => this.groups.get(parts.slice(0, index + 1).join('/')) ?? [])
  }
}
